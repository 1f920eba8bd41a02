// template/detail/words.h
//
// The splitter with what the public form leaves out: a limit on the number of words, and where it
// met something that other implementations read differently (CT-20).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "template/detail/errors.h"
#include "template/parts.h"

namespace helve::tmpl {

struct SplitLints {
  std::optional<size_t> backslash;  // offset of the first one before an ordinary character
  std::optional<size_t> blank;      // offset of the first non-ASCII blank outside quotes
};

// Beyond `limit` words: template.limit_exceeded. `lints` may be null.
Result<std::vector<Word>> split(std::string_view text, size_t limit, SplitLints* lints);

// One of the six characters that separate words (CT-10).
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A brace without its partner, as in the halves of an unquoted `{x=a b}`, or in `}x{`.
bool has_unbalanced_braces(std::string_view word);

}  // namespace helve::tmpl
