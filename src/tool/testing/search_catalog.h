// tool/testing/search_catalog.h
//
// Tools as hosts and owners write them, queries with the tool that whoever asks means, and the
// ranking of CN-96 that ours is held against.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "tool/search.h"

namespace helve::tool {

struct SampleTool {
  std::string name, title, description;
  Json input;
  std::vector<std::string> keywords;
};
const std::vector<SampleTool>& sample_tools();

// `with_keywords`: else each tool comes without its hidden words.
std::vector<Candidate> candidates_of(std::span<const SampleTool> tools, bool with_keywords = true);

// What CN-96 and CN-97 describe, flaws included.
std::vector<Match> baseline_search(std::span<const Candidate> candidates, std::string_view query,
                                   size_t limit);

}  // namespace helve::tool
