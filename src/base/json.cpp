#include "base/json.h"

#include <algorithm>

namespace helve {

const Json* find(const JsonObject& object, std::string_view key) { return object.if_contains(key); }

const Json* find(const Json& value, std::string_view key) {
  return value.is_object() ? find(value.get_object(), key) : nullptr;
}

std::string_view as_text(const Json& value) {
  const auto& string = value.get_string();
  return {string.data(), string.size()};
}

std::optional<std::string_view> find_text(const Json& value, std::string_view key) {
  const Json* member = find(value, key);
  if (member == nullptr || !member->is_string()) return std::nullopt;
  return as_text(*member);
}

std::optional<std::string_view> find_text(const JsonObject& object, std::string_view key) {
  const Json* member = find(object, key);
  if (member == nullptr || !member->is_string()) return std::nullopt;
  return as_text(*member);
}

std::string_view json_kind(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "null";
    case boost::json::kind::bool_:
      return "boolean";
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
      return "integer";
    case boost::json::kind::double_:
      return "number";
    case boost::json::kind::string:
      return "string";
    case boost::json::kind::array:
      return "array";
    case boost::json::kind::object:
      return "object";
  }
  return "null";
}

std::string pointer_to(std::string_view parent, std::string_view key) {
  std::string out(parent);
  out += '/';
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string pointer_to(std::string_view parent, size_t index) {
  return std::string(parent) + '/' + std::to_string(index);
}

Position position_of(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const size_t last_end = before.rfind('\n');
  return {.line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n')),
          .column = 1 + before.size() - (last_end == std::string_view::npos ? 0 : last_end + 1)};
}

}  // namespace helve
