// The members of a node besides its body, its args and its defaults.
#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"
#include "template/detail/compiler.h"
#include "template/detail/controls.h"
#include "template/detail/types.h"
#include "template/detail/value.h"

namespace helve::tmpl {
namespace {

constexpr std::string_view kLength = ".length";

std::unexpected<Refusal> invalid_repeat(const Json& value) {
  return fail("invalid_repeat", {{"value", clip(write_json(value))}});
}

// `{name.length}` or `name.length`: the name, or nothing.
std::string_view length_of(std::string_view text) {
  if (text.starts_with('{') != text.ends_with('}')) return {};
  if (text.starts_with('{')) text = text.substr(1, text.size() - 2);
  if (!text.ends_with(kLength)) return {};
  text.remove_suffix(kLength.size());
  return is_name(text) ? text : std::string_view();
}

// A count in digits; more than fits is as good as too many.
std::int64_t count_of(std::string_view digits) {
  std::int64_t count = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return parsed.ec == std::errc() ? count : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

Status Compiler::read_parallel(Node& node, const Json& value, const std::string&) {
  if (!value.is_bool()) return wrong_kind("parallel", "boolean", value);
  node.parallel = value.get_bool();
  return {};
}

Status Compiler::read_failure(Node& node, const Json& value, const std::string&) {
  struct Named {
    std::string_view name;
    Failure failure;
  };
  static constexpr Named kNames[] = {
      {"continue", Failure::kContinue}, {"branch", Failure::kBranch}, {"root", Failure::kRoot}};
  for (const Named& named : kNames) {
    if (value.is_string() && as_text(value) == named.name) {
      node.failure = named.failure;
      return {};
    }
  }
  return fail("invalid_failure", {{"value", clip(write_json(value))}});
}

// CT-65, CT-66: a boolean, the words true and false, a name, or exactly one placeholder.
Status Compiler::read_when(Node& node, const Json& value, const std::string&) {
  if (value.is_bool()) {
    node.when.kind = value.get_bool() ? When::Kind::kAlways : When::Kind::kNever;
    return {};
  }
  const auto invalid = [&] { return fail("invalid_when", {{"value", clip(write_json(value))}}); };
  if (!value.is_string()) return invalid();
  if (Status paid = charge(value.get_string().size()); !paid) return paid;
  const std::string_view text = trim(as_text(value));
  if (text.starts_with('{')) {
    const std::optional<Span> span = next_placeholder(text, 0);
    if (!span || span->begin != 0 || span->end != text.size()) return invalid();
    Result<Pieces> read = pieces(text, Origin::kWhen);
    if (!read) {
      const std::string error = error_class(read.error());
      const bool syntax = error == "invalid_placeholder" || error == "invalid_expression";
      return syntax ? invalid() : std::unexpected(read.error());
    }
    node.when.kind = When::Kind::kPlaceholder;
    node.when.pieces = *std::move(read);
    return {};
  }
  node.when.negated = text.starts_with('!');
  const std::string_view name = text.substr(node.when.negated ? 1 : 0);
  if (text.empty() || name == "true" || name == "false") {
    const bool truth = (name == "true") != node.when.negated && !text.empty();
    node.when.kind = truth ? When::Kind::kAlways : When::Kind::kNever;
    return {};
  }
  if (!is_name(name)) return invalid();
  node.when.kind = When::Kind::kFlag;
  node.when.pieces.push_back(name_piece(name, Origin::kWhen));
  return {};
}

Status Compiler::read_label(Node& node, const Json& value, const std::string&) {
  if (!value.is_string()) return wrong_kind("label", "string", value);
  if (Status paid = charge(value.get_string().size()); !paid) return paid;
  Result<Pieces> read = pieces(as_text(value), Origin::kLabel);
  if (!read) return std::unexpected(read.error());
  node.label = *std::move(read);
  return {};
}

// `stdout`, a name, or a text. That of the root is resolved outside its own instances (CT-94).
Status Compiler::read_output(Node& node, const Json& value, const std::string&) {
  if (!value.is_string()) return wrong_kind("output", "string", value);
  if (Status paid = charge(value.get_string().size()); !paid) return paid;
  const std::string_view text = as_text(value);
  const std::string_view name = trim(text);
  if (name.empty() || name == "stdout") return {};
  const size_t around = repeats_around_;
  if (depth_ == 1) repeats_around_ = 0;
  Result<Pieces> read = Pieces();
  if (is_name(name)) {
    read->push_back(name_piece(name, Origin::kBody));
  } else {
    read = pieces(text, Origin::kBody);
  }
  repeats_around_ = around;
  if (!read) return std::unexpected(in_text(std::move(read.error()), text, failed_at_));
  node.output = *std::move(read);
  return {};
}

Status Compiler::read_repeat(Node& node, const Json& value, const std::string&) {
  Repeat repeat;
  if (value.is_string()) {
    const std::string_view text = trim(as_text(value));
    if (const std::string_view name = length_of(text); !name.empty()) {
      repeat.by_length = true;
      repeat.array = slot(name);
      --repeats_around_;  // the count is taken outside the instances it makes
      use(repeat.array, Form::kArray, Origin::kBody);
      ++repeats_around_;
    } else if (is_digits(text)) {
      repeat.count = count_of(text);
    }
  } else if (value.is_uint64()) {
    repeat.count = std::numeric_limits<std::int64_t>::max();
  } else if (const auto whole = integral(value)) {
    repeat.count = *whole;
  }
  if (!repeat.by_length && repeat.count < 1) return invalid_repeat(value);
  if (repeat.count > static_cast<std::int64_t>(tree_.limits.nodes)) {
    return over_limit("nodes", tree_.limits.nodes);
  }
  node.repeat = repeat;
  return {};
}

Status Compiler::read_timeout(Node& node, const Json& value, const std::string&) {
  return read_control(node.timeout, value, "invalid_timeout");
}

Status Compiler::read_delay(Node& node, const Json& value, const std::string&) {
  return read_control(node.delay, value, "invalid_delay");
}

Status Compiler::read_retry(Node& node, const Json& value, const std::string&) {
  return read_control(node.retry, value, "invalid_retry");
}

Status Compiler::read_control(Control& control, const Json& value, std::string_view error_class) {
  if (value.is_string()) {
    if (Status paid = charge(value.get_string().size()); !paid) return paid;
    Result<Pieces> read = pieces(as_text(value), Origin::kBody);
    if (!read) return std::unexpected(in_text(std::move(read.error()), as_text(value), failed_at_));
    const bool literal = read->empty() || (read->size() == 1 && !is_single_placeholder(*read));
    if (!literal) {
      control.pieces = *std::move(read);
      return {};
    }
  }
  const Result<std::optional<std::int64_t>> number = control_value(value, error_class);
  if (!number) return std::unexpected(number.error());
  control.value = *number;
  return {};
}

}  // namespace helve::tmpl
