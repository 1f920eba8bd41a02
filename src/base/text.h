// base/text.h
//
// UTF-8, trimming and small string tools that several folders need. Strings are bytes; where a
// function speaks of characters it says so. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace helve {

// Valid UTF-8 per RFC 3629: no overlong forms, no surrogates, at most U+10FFFF.
bool is_utf8(std::string_view bytes);

// `bytes` with each maximal invalid part replaced by U+FFFD, as the WHATWG decoder does it.
std::string to_utf8(std::string_view bytes);

// The largest offset <= `at` that does not cut a UTF-8 sequence of `bytes`.
size_t utf8_floor(std::string_view bytes, size_t at);

// The smallest offset >= `at` that does not cut a UTF-8 sequence of `bytes`.
size_t utf8_ceil(std::string_view bytes, size_t at);

// How much of `piece`, which was cut off a longer text, is whole: not all of it if its last
// sequence is only begun.
size_t utf8_whole(std::string_view piece);

// A byte of a UTF-8 sequence that is not its first.
constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Of valid UTF-8.
size_t count_characters(std::string_view text);

// Reads one code point at `at` and moves `at` behind it; an invalid byte gives U+FFFD.
char32_t next_code_point(std::string_view bytes, size_t& at);

void append_utf8(std::string& out, char32_t code_point);

// Without the ECMAScript white space (clause BL-21) at both ends.
std::string_view trim(std::string_view text);

// Each run of control characters (U+0000-U+001F, U+007F-U+009F; clause BL-22) becomes one space.
std::string flatten_controls(std::string_view text);

// ASCII only; other bytes are kept.
std::string lower_ascii(std::string_view text);

std::vector<std::string_view> split(std::string_view text, char separator);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

// Levenshtein distance in bytes; anything above `limit` comes back as limit + 1.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

// The candidate closest to `word` within edit distance 2, or "" if none is that close.
std::string_view closest(std::string_view word, const std::vector<std::string_view>& candidates);

// One word as a shell would have to read it, with $'...' around control characters; for display
// only.
std::string shell_quote(std::string_view word);
std::string shell_quote(const std::vector<std::string>& argv);

}  // namespace helve
