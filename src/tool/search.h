// tool/search.h
//
// Ranks the tools that are not listed by what somebody asks for, in any language (CN-96, CN-97,
// CN-101). A rare word counts more than a common one, a name more than a description; inflected,
// unfinished and once mistyped words still meet; whoever covers more of the query comes first. What
// becomes of the tools found is the caller's business (`tool_search`). Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace helve::tool {

// What a tool can be found by; the strongest first: name, keywords, title, property names,
// description, property descriptions. The views live as long as the search.
struct Candidate {
  std::string_view name, title, description;
  const Json* input = nullptr;            // JSON Schema of the arguments, or null
  std::span<const std::string> keywords;  // never shown
};

struct Match {
  size_t index;  // into the candidates
  double score;  // above 0; comparable within one search only
  bool operator==(const Match&) const = default;
};

// At most `limit` candidates, best first, those of equal score by name. A candidate whose name is
// the query comes before all others. Nothing for a query that matches nothing. Of the query the
// first 4 KiB and 64 words are read.
std::vector<Match> search(std::span<const Candidate> candidates, std::string_view query,
                          size_t limit);

}  // namespace helve::tool
