// workspace/detail/plain_text.h
//
// How far bytes are text that needs no interpreting. Made for speed: most output is nothing else.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace helve::workspace {

// How many bytes from the start are whole, valid characters of UTF-8 without control characters
// (U+0000-U+001F, U+007F-U+009F) other than tab and line end.
std::size_t plain_prefix(std::string_view bytes);

// How many bytes a character has that begins with this byte; 0 if none does.
std::size_t character_length(unsigned char lead);

// True if `bytes`, one to three of them, can be the beginning of a longer valid character.
bool begins_character(std::string_view bytes);

}  // namespace helve::workspace
