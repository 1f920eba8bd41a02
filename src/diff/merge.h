// diff/merge.h
//
// What two writers made of one text, put together again: diff3 by lines. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::diff {

struct MergeLabels {  // behind the conflict markers
  std::string_view mine = "yours", base = "base", theirs = "current";
};

struct Merge {
  std::size_t conflicts = 0;
  std::string text;  // with standard conflict markers, with the base between, where there are any
  bool clean() const { return conflicts == 0; }
};

// Changes that both made alike are taken once; changes that touch each other are a conflict, also a
// deletion beside a change. What kind of line end a line has is no difference; a line that only one
// side changed keeps that side's. The work is bounded as that of diff_lines is: too long texts with
// too little in common are one conflict.
Merge merge_lines(std::string_view base, std::string_view mine, std::string_view theirs,
                  const MergeLabels& labels = {});

}  // namespace helve::diff
