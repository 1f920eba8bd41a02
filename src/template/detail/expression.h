// template/detail/expression.h
//
// The generated names of a repeat instance (CT-56) and integer arithmetic over them (CT-58 to
// CT-60): parsed once into reverse Polish order, evaluated with checked 64-bit steps. Neither
// parsing nor evaluation recurses. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "template/detail/errors.h"

namespace helve::tmpl {

enum class Generated : std::uint8_t { kIndex, kPrev, kNext, kRepeat };

constexpr std::array<std::string_view, 4> kGeneratedNames = {"index", "prev", "next", "repeat"};
constexpr size_t kMostPadding = 6;  // leading underscores

struct GeneratedName {
  Generated which = Generated::kIndex;
  size_t padding = 0;  // leading underscores
};

// "index", "__next"; nothing for any other name.
std::optional<GeneratedName> generated_name(std::string_view name);

// The value with `padding` + 1 digits at least, the sign counted (CT-56, CT-60); plain for 0.
std::string padded(std::int64_t value, size_t padding);

struct Expression {
  enum class Op : std::uint8_t {
    kNumber,
    kOverflow,
    kName,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kRemainder
  };
  struct Item {
    Op op = Op::kNumber;
    std::int64_t number = 0;  // kName: which of Generated
  };
  std::vector<Item> items;        // reverse Polish
  std::array<bool, 4> uses = {};  // by Generated
  size_t padding = 0;
  bool has_names() const { return uses[0] || uses[1] || uses[2] || uses[3]; }
};

using GeneratedValues = std::array<std::int64_t, 4>;  // by Generated

// CT-24: whether a placeholder's content is to be read as arithmetic at all.
bool looks_arithmetic(std::string_view content);

// Refused: template.invalid_expression, template.limit_exceeded (parentheses).
Result<Expression> parse_expression(std::string_view content, size_t parenthesis_depth);

// Refused: template.overflow, template.division_by_zero. Names that are not used may hold anything.
Result<std::int64_t> evaluate(const Expression& expression, const GeneratedValues& names);

}  // namespace helve::tmpl
