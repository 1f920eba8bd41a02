// template/detail/lint_words.h
//
// What in the text of a template is legal but most likely not meant: words that only a shell would
// read in another way, and placeholders inside placeholders. Looks at text alone. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "template/detail/compiled.h"
#include "template/detail/placeholder.h"
#include "template/parts.h"

namespace helve::tmpl {

// The first word without quotes and escapes that a shell would not pass on as it stands, or null.
// `compiled` are the same words in pieces, `text` is the template that they were split from.
const Word* first_shell_word(const std::vector<Word>& words,
                             const std::vector<CompiledWord>& compiled, std::string_view text);

// A brace that looks like the begin of a placeholder around another one.
struct Nesting {
  std::string_view outer;  // with its braces
  std::string_view name;
};

// Whether the placeholder at `inner` stands in such braces; none begin before `from`.
std::optional<Nesting> nesting_around(std::string_view text, size_t from, Span inner);

}  // namespace helve::tmpl
