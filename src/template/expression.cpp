#include "template/detail/expression.h"

#include <charconv>
#include <limits>

#include "base/check.h"
#include "template/detail/words.h"

namespace helve::tmpl {
namespace {

using Op = Expression::Op;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_operator(char c) { return std::string_view("+-*/%()").find(c) != std::string_view::npos; }

std::optional<Generated> name_at(std::string_view text) {
  for (size_t i = 0; i < kGeneratedNames.size(); ++i) {
    if (text.starts_with(kGeneratedNames[i])) return static_cast<Generated>(i);
  }
  return std::nullopt;
}

size_t leading_underscores(std::string_view text) {
  return std::min(text.find_first_not_of('_'), text.size());
}

// `_(...)` with one to six underscores: the padding, else 0.
size_t padding_of(std::string_view content) {
  const size_t count = leading_underscores(content);
  if (count == 0 || count > kMostPadding || content.size() < count + 2) return 0;
  return content[count] == '(' && content.back() == ')' ? count : 0;
}

Op operation(char c) {
  switch (c) {
    case '+':
      return Op::kAdd;
    case '-':
      return Op::kSubtract;
    case '*':
      return Op::kMultiply;
    case '/':
      return Op::kDivide;
    default:
      return Op::kRemainder;
  }
}

int rank(char c) { return c == '+' || c == '-' ? 1 : 2; }

// Two stacks instead of recursion: finished items go out, operators wait for what binds stronger.
class Parser {
 public:
  Parser(std::string_view text, size_t depth) : text_(text), depth_limit_(depth) {}

  Result<Expression> run() {
    while (at_ < text_.size()) {
      if (is_blank(text_[at_])) {
        ++at_;
      } else if (Status read = wants_operand_ ? read_operand() : read_operator(); !read) {
        return std::unexpected(read.error());
      }
    }
    if (wants_operand_ || depth_ != 0) return invalid();
    while (!waiting_.empty()) emit_waiting();
    return std::move(out_);
  }

 private:
  std::unexpected<Refusal> invalid() const { return bad_placeholder("invalid_expression", text_); }

  Status read_operand() {
    if (text_[at_] == '(') return open();
    if (is_digit(text_[at_])) {
      read_number();
    } else if (const auto name = name_at(text_.substr(at_))) {
      const auto which = static_cast<size_t>(*name);
      out_.items.push_back({Op::kName, static_cast<std::int64_t>(which)});
      out_.uses[which] = true;
      at_ += kGeneratedNames[which].size();
    } else {
      return invalid();
    }
    wants_operand_ = false;
    return {};
  }

  void read_number() {
    Expression::Item item;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), item.number);
    if (error != std::errc()) item.op = Op::kOverflow;
    at_ += static_cast<size_t>(end - begin);
    out_.items.push_back(item);
  }

  Status open() {
    if (depth_ == depth_limit_) return over_limit("parentheses", depth_limit_);
    ++depth_;
    waiting_ += '(';
    ++at_;
    return {};
  }

  Status read_operator() {
    const char c = text_[at_++];
    if (c == ')') return close();
    if (c == '(' || !is_operator(c)) return invalid();
    while (!waiting_.empty() && waiting_.back() != '(' && rank(waiting_.back()) >= rank(c)) {
      emit_waiting();
    }
    waiting_ += c;
    wants_operand_ = true;
    return {};
  }

  Status close() {
    if (depth_ == 0) return invalid();
    while (waiting_.back() != '(') emit_waiting();
    waiting_.pop_back();
    --depth_;
    return {};
  }

  void emit_waiting() {
    out_.items.push_back({operation(waiting_.back())});
    waiting_.pop_back();
  }

  std::string_view text_;
  size_t depth_limit_;
  size_t at_ = 0;
  size_t depth_ = 0;
  bool wants_operand_ = true;
  std::string waiting_;
  Expression out_;
};

Result<std::int64_t> divide(Op op, std::int64_t left, std::int64_t right) {
  if (right == 0) return fail("division_by_zero");
  if (right == -1) {  // the one pair that overflows traps in hardware
    if (op == Op::kRemainder) return 0;
    if (left == std::numeric_limits<std::int64_t>::min()) return fail("overflow");
  }
  return op == Op::kDivide ? left / right : left % right;
}

Result<std::int64_t> apply(Op op, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case Op::kAdd:
      overflow = __builtin_add_overflow(left, right, &result);
      break;
    case Op::kSubtract:
      overflow = __builtin_sub_overflow(left, right, &result);
      break;
    case Op::kMultiply:
      overflow = __builtin_mul_overflow(left, right, &result);
      break;
    default:
      return divide(op, left, right);
  }
  if (overflow) return fail("overflow");
  return result;
}

}  // namespace

std::optional<GeneratedName> generated_name(std::string_view name) {
  const size_t padding = leading_underscores(name);
  const auto which = name_at(name.substr(padding));
  if (!which || padding > kMostPadding) return std::nullopt;
  if (name.size() != padding + kGeneratedNames[static_cast<size_t>(*which)].size()) {
    return std::nullopt;
  }
  return GeneratedName{*which, padding};
}

std::string padded(std::int64_t value, size_t padding) {
  std::string digits = std::to_string(value);
  if (digits.size() > padding) return digits;
  digits.insert(value < 0 ? 1 : 0, padding + 1 - digits.size(), '0');
  return digits;
}

bool looks_arithmetic(std::string_view content) {
  if (content.find_first_of("+-*/%()") == std::string_view::npos) return false;
  if (padding_of(content) > 0) return true;
  std::string joined;
  for (const char c : content) {
    if (!is_blank(c)) joined += c;
  }
  bool operators = false;
  for (size_t i = 0; i < joined.size();) {
    if (is_operator(joined[i])) operators = true;
    if (is_operator(joined[i]) || is_digit(joined[i])) {
      ++i;
    } else if (const auto name = name_at(std::string_view(joined).substr(i))) {
      i += kGeneratedNames[static_cast<size_t>(*name)].size();
    } else {
      return false;
    }
  }
  return operators;
}

Result<Expression> parse_expression(std::string_view content, size_t parenthesis_depth) {
  const size_t padding = padding_of(content);
  if (padding > 0) content = content.substr(padding + 1, content.size() - padding - 2);
  Result<Expression> parsed = Parser(content, parenthesis_depth).run();
  if (parsed) parsed->padding = padding;
  return parsed;
}

Result<std::int64_t> evaluate(const Expression& expression, const GeneratedValues& names) {
  std::vector<std::int64_t> stack;
  stack.reserve(expression.items.size());
  for (const Expression::Item& item : expression.items) {
    if (item.op == Op::kOverflow) return fail("overflow");
    if (item.op == Op::kNumber || item.op == Op::kName) {
      stack.push_back(item.op == Op::kNumber ? item.number
                                             : names[static_cast<size_t>(item.number)]);
      continue;
    }
    HELVE_CHECK(stack.size() >= 2);
    const std::int64_t right = stack.back();
    stack.pop_back();
    const Result<std::int64_t> result = apply(item.op, stack.back(), right);
    if (!result) return result;
    stack.back() = *result;
  }
  HELVE_CHECK(stack.size() == 1);
  return stack.back();
}

}  // namespace helve::tmpl
