#include "template/detail/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace helve::tmpl {
namespace {

template <typename Integer>
void append_integer(std::string& out, Integer number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

bool is_truthy_text(std::string_view text) {
  const std::string_view trimmed = trim(text);
  if (trimmed.size() > 5) return true;  // longer than "false"
  const std::string lowered = lower_ascii(trimmed);
  return !(lowered.empty() || lowered == "0" || lowered == "false" || lowered == "no");
}

// Enough of a string for it to reach `end`; it is not cut within a character.
void append_string_start(std::string& out, std::string_view text, size_t end) {
  constexpr size_t kLongestCharacter = 4;
  const size_t room = end - std::min(out.size(), end);
  append_json_string(out, text.substr(0, utf8_floor(text, room + kLongestCharacter)));
}

// Numbers in arrays and objects have a form of their own.
void append_inner_scalar(std::string& out, const Json& value) {
  const std::string around = write_json(JsonArray{value});
  out += std::string_view(around).substr(1, around.size() - 2);
}

// What append_json() writes, until `out` has `end` bytes.
void append_json_start(std::string& out, const Json& value, size_t end) {
  if (value.is_string()) return append_string_start(out, as_text(value), end);
  if (!value.is_structured()) return append_inner_scalar(out, value);
  char before = value.is_array() ? '[' : '{';
  const auto next = [&] { out += std::exchange(before, ','); };
  if (const JsonArray* items = value.if_array()) {
    for (auto item = items->begin(); item != items->end() && out.size() < end; ++item) {
      next();
      append_json_start(out, *item, end);
    }
  } else {
    const JsonObject& object = value.get_object();
    for (auto member = object.begin(); member != object.end() && out.size() < end; ++member) {
      next();
      append_string_start(out, member->key(), end);
      out += ':';
      append_json_start(out, member->value(), end);
    }
  }
  if (before != ',') out += before;
  out += value.is_array() ? ']' : '}';
}

}  // namespace

void append_text_start(std::string& out, const Json& value, size_t limit) {
  if (value.is_string()) {
    out += as_text(value).substr(0, limit);
  } else if (value.is_structured()) {
    append_json_start(out, value, out.size() + limit);
  } else {
    append_text(out, value);
  }
}

void append_text(std::string& out, const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      break;
    case boost::json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      break;
    case boost::json::kind::int64:
      append_integer(out, value.get_int64());
      break;
    case boost::json::kind::uint64:
      append_integer(out, value.get_uint64());
      break;
    case boost::json::kind::double_:
      out += number_text(value.get_double());
      break;
    case boost::json::kind::string:
      out += as_text(value);
      break;
    default:
      append_json(out, value);
  }
}

std::string text_form(const Json& value) {
  std::string out;
  append_text(out, value);
  return out;
}

bool is_truthy(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return false;
    case boost::json::kind::bool_:
      return value.get_bool();
    case boost::json::kind::int64:
      return value.get_int64() != 0;
    case boost::json::kind::uint64:
      return value.get_uint64() != 0;
    case boost::json::kind::double_:
      return value.get_double() != 0;
    case boost::json::kind::string:
      return is_truthy_text(as_text(value));
    case boost::json::kind::array:
      return !value.get_array().empty();
    case boost::json::kind::object:
      return true;
  }
  return false;
}

std::optional<std::int64_t> integral(const Json& number) {
  if (number.is_int64()) return number.get_int64();
  if (!number.is_double()) return std::nullopt;  // a uint64 is beyond the range
  const double value = number.get_double();
  constexpr double kBound = 9223372036854775808.0;
  if (std::trunc(value) != value || value < -kBound || value >= kBound) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace helve::tmpl
