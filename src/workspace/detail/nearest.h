// workspace/detail/nearest.h
//
// The place of a text that is most like some lines. Lines that are equal but for case, blanks and
// quotes vote for where it begins; if there are none, the place that shares the most sequences of
// four characters with the longest of the lines is taken. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace helve::workspace {

// Offset in the text where `wanted` would begin; within its first line or at the begin of a line.
std::optional<std::size_t> nearest_place(std::string_view text, std::string_view wanted);

}  // namespace helve::workspace
