// workspace/detail/edit_diff.h
//
// What an edit did, for its answer: the lines and a bounded diff, made from the places that changed
// and the lines around them, so that a large file costs nothing. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workspace/match.h"

namespace helve::workspace {

struct EditDiff {
  std::string text;
  std::vector<std::size_t> lines;  // from 1, as they are counted afterwards; the first ten
};

EditDiff edit_diff(std::string_view text, const Matching& matching);

}  // namespace helve::workspace
