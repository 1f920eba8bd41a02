// base/encoded.h
//
// What a text costs once it is part of an answer: UTF-16 units of the JSON string that base/json.h
// writes, which is how hosts count (R4) and the largest of the usual ways. Pure; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace helve {

// What `text` takes between the quotes.
size_t encoded_size(std::string_view text);

// The longest beginning of `text` that takes at most `budget`, never cut inside a character.
std::string_view encoded_prefix(std::string_view text, size_t budget);

}  // namespace helve
