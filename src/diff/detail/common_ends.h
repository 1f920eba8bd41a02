// diff/detail/common_ends.h
//
// What two texts begin and end with alike. Pure; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace helve::diff {

struct CommonEnds {
  std::size_t head = 0, tail = 0;  // bytes; they do not overlap in either text
};

CommonEnds common_bytes(std::string_view a, std::string_view b);
CommonEnds common_lines(std::string_view a, std::string_view b);  // whole lines

}  // namespace helve::diff
