// workspace/detail/shortest_edit.h
//
// The fewest lines to remove and add (Myers, "An O(ND) Difference Algorithm", 1986). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "workspace/diff.h"

namespace helve::workspace {

// Nothing if more than some hundreds of lines differ: time and memory grow with their square.
std::optional<std::vector<LineChange>> shortest_edit(std::span<const std::uint32_t> before,
                                                     std::span<const std::uint32_t> after);

}  // namespace helve::workspace
