// diff/detail/shortest_edit.h
//
// The fewest lines to remove and add (Myers, "An O(ND) Difference Algorithm", 1986). Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "diff/diff.h"

namespace helve::diff {

struct ShortestEdit {
  std::vector<LineChange> changes;
  bool least = true;
};

// If more than some hundreds of lines differ, what comes behind these is one change: time and
// memory grow with the square of their number.
ShortestEdit shortest_edit(std::span<const std::uint32_t> before,
                           std::span<const std::uint32_t> after);

}  // namespace helve::diff
