// template/detail/placeholder.h
//
// The grammar of one placeholder (CT-21 to CT-26): finds them in a word and reads their content.
// Knows no scopes and no values. Views point into the text that was read. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "template/detail/expression.h"
#include "template/template.h"

namespace helve::tmpl {

struct Placeholder {
  enum class Kind { kName, kFallback, kConditional, kItem, kArithmetic };
  Kind kind = Kind::kName;
  std::string_view name;
  std::optional<std::string_view> inline_default;  // kName
  std::optional<Type> type;                        // kName
  std::string_view first;                          // the fallback, or the text for yes
  std::string_view second;                         // the text for no
  bool negated = false;                            // kConditional
  std::string_view index;                          // kItem: digits or a name
  Expression expression;                           // kArithmetic
};

// The content between the braces. Refused: template.invalid_placeholder {placeholder},
// template.invalid_expression, template.limit_exceeded.
Result<Placeholder> parse_placeholder(std::string_view content, size_t parenthesis_depth);

// The next `{content}` at or behind `from`.
struct Span {
  size_t begin = 0;  // of the opening brace
  size_t end = 0;    // behind the closing brace
};
std::optional<Span> next_placeholder(std::string_view text, size_t from);

}  // namespace helve::tmpl
