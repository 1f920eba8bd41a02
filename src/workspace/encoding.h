// workspace/encoding.h
//
// What the bytes of a file are, and their text: UTF-8 or UTF-16, with or without a byte order mark,
// or nothing that is a text (WS-67); where lines end and where a line may be cut. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace helve::workspace {

enum class Encoding : std::uint8_t { kUtf8, kUtf16Le, kUtf16Be, kBinary };

inline constexpr std::size_t kSniffed = 8 * 1024;  // what the kind is decided on

struct TextKind {
  Encoding encoding = Encoding::kUtf8;
  std::size_t bom = 0;  // its bytes
  bool operator==(const TextKind&) const = default;
};

// By the first kSniffed bytes, or fewer if that is all; more are not looked at.
TextKind kind_of(std::string_view beginning);

// The name of an encoding, as in "UTF-16LE"; of a binary file "binary".
std::string_view name_of(Encoding encoding);

// The media type by the magic numbers of the common ones, else "application/octet-stream".
std::string_view type_of(std::string_view beginning);

constexpr std::size_t unit_of(Encoding encoding) {
  return encoding == Encoding::kUtf16Le || encoding == Encoding::kUtf16Be ? 2 : 1;
}

// In all that follows `bytes` begin at a whole unit of the text.

// Where the next LF at or after `from` stands, or npos.
std::size_t find_line_end(std::string_view bytes, std::size_t from, Encoding encoding);
// The same backwards: the last LF before `before`.
std::size_t find_last_line_end(std::string_view bytes, std::size_t before, Encoding encoding);
// Whether the unit before `at` is a CR.
bool follows_cr(std::string_view bytes, std::size_t at, Encoding encoding);

// The largest offset <= `at` that cuts no character.
std::size_t character_floor(std::string_view bytes, std::size_t at, Encoding encoding);

// Appends the text as UTF-8; what is invalid becomes U+FFFD. False if something was.
bool append_decoded(std::string& out, std::string_view bytes, Encoding encoding);

// The most bytes, whole characters of them, whose text takes at most `budget` (base/encoded.h).
std::size_t bytes_within(std::string_view bytes, std::size_t budget, Encoding encoding);

}  // namespace helve::workspace
