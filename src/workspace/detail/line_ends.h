// workspace/detail/line_ends.h
//
// Texts with every CR LF as LF, and the way back from a place in them. A CR alone is no line end.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::workspace {

bool has_crlf(std::string_view text);
std::string with_lf(std::string_view text);

// Where in `text` the byte at `place` of with_lf(text) comes from: of a CR LF its beginning.
std::size_t place_before_lf(std::string_view text, std::size_t place);

// Finds in linear time, whatever the bytes.
std::size_t find_bytes(std::string_view text, std::string_view what, std::size_t from);

}  // namespace helve::workspace
