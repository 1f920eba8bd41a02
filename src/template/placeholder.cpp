#include "template/detail/placeholder.h"

#include "template/detail/types.h"
#include "template/detail/value.h"
#include "template/detail/words.h"

namespace helve::tmpl {
namespace {

using Kind = Placeholder::Kind;
using Parsed = std::optional<Placeholder>;

std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

Parsed parse_typed(std::string_view name, std::string_view rest) {
  const size_t length = type_length(rest);
  Result<Type> type = parse_type(rest.substr(0, length));
  if (!type) return std::nullopt;
  Placeholder out{.name = name, .type = *std::move(type)};
  rest.remove_prefix(length);
  if (!rest.empty()) {
    if (rest.front() != '=') return std::nullopt;
    out.inline_default = rest.substr(1);
  }
  return out;
}

Parsed parse_item(std::string_view name, std::string_view rest) {
  if (rest.size() < 2 || rest.back() != ']') return std::nullopt;
  const std::string_view index = rest.substr(0, rest.size() - 1);
  if (!is_digits(index) && !is_name(index)) return std::nullopt;
  return Placeholder{.kind = Kind::kItem, .name = name, .index = index};
}

// The first operator after the longest leading name decides (CT-23).
Parsed parse_by_operator(std::string_view content) {
  const size_t length = name_length(content);
  if (length == 0) return std::nullopt;
  const std::string_view name = content.substr(0, length);
  const std::string_view rest = content.substr(length);
  if (rest.empty()) return Placeholder{.name = name};
  if (rest.front() == '=') return Placeholder{.name = name, .inline_default = rest.substr(1)};
  if (rest.front() == ':') return parse_typed(name, rest.substr(1));
  if (rest.front() == '[') return parse_item(name, rest.substr(1));
  if (rest.starts_with("??")) {
    return Placeholder{.kind = Kind::kFallback, .name = name, .first = rest.substr(2)};
  }
  return std::nullopt;
}

// Blanks stand around the condition, not around the parts.
Parsed parse_conditional(std::string_view content) {
  std::string_view rest = skip_blanks(content);
  Placeholder out{.kind = Kind::kConditional, .negated = rest.starts_with('!')};
  if (out.negated) rest.remove_prefix(1);
  const size_t length = name_length(rest);
  if (length == 0) return std::nullopt;
  out.name = rest.substr(0, length);
  rest = skip_blanks(rest.substr(length));
  if (!rest.starts_with('?') || rest.starts_with("??")) return std::nullopt;
  rest.remove_prefix(1);
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  out.first = rest.substr(0, colon);
  out.second = rest.substr(colon + 1);
  return out;
}

}  // namespace

Result<Placeholder> parse_placeholder(std::string_view content, size_t parenthesis_depth) {
  if (looks_arithmetic(content)) {
    Result<Expression> expression = parse_expression(content, parenthesis_depth);
    if (!expression) return std::unexpected(expression.error());
    return Placeholder{.kind = Kind::kArithmetic, .expression = *std::move(expression)};
  }
  if (Parsed parsed = parse_by_operator(content)) return *std::move(parsed);
  if (Parsed parsed = parse_conditional(content)) return *std::move(parsed);
  const bool calculates = content.find_first_of("+*/%()") != std::string_view::npos;
  return bad_placeholder(calculates ? "invalid_expression" : "invalid_placeholder", content);
}

std::optional<Span> next_placeholder(std::string_view text, size_t from) {
  size_t open = text.find('{', from);
  while (open != std::string_view::npos) {
    const size_t next = text.find_first_of("{}", open + 1);
    if (next == std::string_view::npos) return std::nullopt;
    if (text[next] == '}' && next > open + 1) return Span{open, next + 1};
    open = text[next] == '{' ? next : text.find('{', next + 1);
  }
  return std::nullopt;
}

}  // namespace helve::tmpl
