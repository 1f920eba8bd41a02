// tool/detail/search_match.h
//
// How well a word of a query and a word of a tool agree. Pure; any thread.
#pragma once

#include "tool/detail/search_index.h"

namespace helve::tool {

// At least this is the same word, inflected or not.
constexpr double kSameWord = 0.95;

// From 0, nothing in common, to 1, the same: its forms, its beginning, a word of the same meaning.
double likeness(const Term& asked, const Term& found);

// For words of at least five letters that differ by one letter too many, missing, wrong or swapped.
double likeness_with_typo(const Term& asked, const Term& found);

}  // namespace helve::tool
