// workspace/testing/edit_words.h
//
// Tests only: edits of a text in one line each, and what came of them.
#pragma once

#include <string>

#include "workspace/detail/body.h"
#include "workspace/match.h"

namespace helve::workspace::testing {

inline std::string joined(const std::vector<std::string_view>& pieces) {
  std::string out;
  for (const std::string_view piece : pieces) out += piece;
  return out;
}

inline std::string name_of(Mismatch::Why why) {
  constexpr const char* kNames[] = {"none",      "many",    "many loose",
                                    "no change", "overlap", "too many"};
  return kNames[static_cast<std::size_t>(why)];
}

// The bytes afterwards; "refused WHY COUNT" if it is not made.
inline std::string edited(std::string_view bytes, const std::vector<Wish>& wishes) {
  const Body body(bytes);
  const auto matching = match(body.text(), wishes, body.is_text());
  if (!matching) {
    return "refused " + name_of(matching.error().why) + ' ' +
           std::to_string(matching.error().count);
  }
  const Matching in_bytes = body.in_bytes(*matching);
  return joined(pieces_of(bytes, in_bytes));
}

}  // namespace helve::workspace::testing
