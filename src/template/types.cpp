#include "template/detail/types.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "base/texts.h"
#include "template/detail/value.h"

namespace helve::tmpl {
namespace {

using Kind = Type::Kind;

struct Named {
  std::string_view name;
  Kind kind;
};

constexpr Named kTypes[] = {
    {"string", Kind::kString}, {"path", Kind::kPath}, {"int", Kind::kInt},
    {"number", Kind::kNumber}, {"bool", Kind::kBool}, {"array", Kind::kArray},
};
constexpr std::string_view kEnumOpen = "enum(";

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool continues_name(char c) { return starts_name(c) || (c >= '0' && c <= '9') || c == '-'; }

std::string_view type_name(Kind kind) {
  for (const Named& named : kTypes) {
    if (named.kind == kind) return named.name;
  }
  return "enum";
}

bool is_scalar(const Json& value) {
  return value.is_string() || value.is_bool() || value.is_number();
}

std::string_view without_sign(std::string_view text) {
  return text.starts_with('-') ? text.substr(1) : text;
}

// D+(.D+)?|.D+
bool is_decimal(std::string_view text) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) return is_digits(text);
  return (dot == 0 || is_digits(text.substr(0, dot))) && is_digits(text.substr(dot + 1));
}

// A double beyond 64 bits with all its digits.
std::string all_digits(double number) {
  char digits[400];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed);
  return {digits, end.ptr};
}

std::optional<Json> as_int(const Json& value) {
  if (value.is_string()) {
    const std::string_view trimmed = trim(as_text(value));
    if (!is_digits(without_sign(trimmed))) return std::nullopt;
    return Json(trimmed);
  }
  if (value.is_uint64()) return value;
  if (const auto whole = integral(value)) return Json(*whole);
  if (!value.is_double() || !std::isfinite(value.get_double())) return std::nullopt;
  if (std::trunc(value.get_double()) != value.get_double()) return std::nullopt;
  return Json(all_digits(value.get_double()));
}

std::optional<Json> as_number(const Json& value) {
  if (value.is_number()) return value;
  if (!value.is_string()) return std::nullopt;
  const std::string_view trimmed = trim(as_text(value));
  if (!is_decimal(without_sign(trimmed))) return std::nullopt;
  return Json(trimmed);
}

std::optional<Json> as_bool(const Json& value) {
  if (value.is_bool()) return value;
  if (!value.is_string()) return std::nullopt;
  const std::string_view trimmed = trim(as_text(value));
  if (trimmed.size() > 5) return std::nullopt;
  const std::string word = lower_ascii(trimmed);
  if (word == "true" || word == "1" || word == "yes") return Json(true);
  if (word == "false" || word == "0" || word == "no") return Json(false);
  return std::nullopt;
}

std::optional<Json> as_enum(const Type& type, const Json& value) {
  if (!is_scalar(value)) return std::nullopt;
  const std::string text = text_form(value);
  if (std::find(type.items.begin(), type.items.end(), text) == type.items.end()) {
    return std::nullopt;
  }
  return Json(text);
}

std::optional<Json> as_array(const Json& value) {
  if (value.is_array()) return value;
  if (!value.is_string()) return std::nullopt;
  auto parsed = parse_json(as_text(value));
  if (!parsed || !parsed->is_array()) return std::nullopt;
  return *std::move(parsed);
}

Result<Type> parse_enum(std::string_view text) {
  Type type{.kind = Kind::kEnum};
  const std::string_view list = text.substr(kEnumOpen.size(), text.size() - kEnumOpen.size() - 1);
  for (const std::string_view item : split(list, ',')) {
    if (!trim(item).empty()) type.items.emplace_back(trim(item));
  }
  if (type.items.empty()) return fail("invalid_type", {{"type", clip(text)}});
  return type;
}

std::optional<Json> number_of(const Json& value) {
  const std::string text = text_form(value);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Json(number);
}

std::optional<Json> int_of(const Json& value) {
  const std::string text = text_form(value);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Json(number);
}

// The schema has texts as items, and so have its defaults.
Json texts_of(const JsonArray& items) {
  JsonArray out;
  for (const Json& item : items) out.emplace_back(text_form(item));
  return out;
}

}  // namespace

size_t name_length(std::string_view text) {
  if (text.empty() || !starts_name(text.front())) return 0;
  size_t length = 1;
  while (length < text.size() && continues_name(text[length])) ++length;
  return length;
}

bool is_name(std::string_view text) { return !text.empty() && name_length(text) == text.size(); }

size_t type_length(std::string_view text) {
  if (text.starts_with(kEnumOpen)) {
    const size_t close = text.find(')');
    if (close != std::string_view::npos) return close + 1;
  }
  return std::min(text.find('='), text.size());
}

Result<Type> parse_type(std::string_view text) {
  for (const Named& named : kTypes) {
    if (named.name == text) return Type{.kind = named.kind};
  }
  if (text.starts_with(kEnumOpen) && text.find(')') == text.size() - 1) return parse_enum(text);
  return fail("invalid_type", {{"type", clip(text)}});
}

std::string type_text(const Type& type) {
  std::string out(type_name(type.kind));
  if (type.kind == Kind::kEnum) out += '(' + join(type.items, ",") + ')';
  return out;
}

std::string expected_form(const Type& type) {
  return text("template.form." + std::string(type_name(type.kind)),
              {{"items", clip(join(type.items, ", "))}});
}

std::string generated_description(const Type& type, std::string_view name) {
  return text("template.argument." + std::string(type_name(type.kind)),
              {{"name", clip(name)}, {"items", clip(join(type.items, ", "))}});
}

std::optional<Json> in_form(const Type& type, const Json& value) {
  switch (type.kind) {
    case Kind::kString:
      return value;
    case Kind::kPath:
      return is_scalar(value) ? std::optional(value) : std::nullopt;
    case Kind::kInt:
      return as_int(value);
    case Kind::kNumber:
      return as_number(value);
    case Kind::kBool:
      return as_bool(value);
    case Kind::kArray:
      return as_array(value);
    case Kind::kEnum:
      return as_enum(type, value);
  }
  return std::nullopt;
}

JsonObject type_schema(const Type& type) {
  switch (type.kind) {
    case Kind::kInt:
      return {{"type", "integer"}};
    case Kind::kNumber:
      return {{"type", "number"}};
    case Kind::kBool:
      return {{"type", "boolean"}};
    case Kind::kArray:
      return {{"type", "array"}, {"items", JsonObject{{"type", "string"}}}};
    default:
      break;
  }
  JsonObject schema{{"type", "string"}};
  if (type.kind == Kind::kEnum) {
    JsonArray items;
    for (const std::string& item : type.items) items.emplace_back(item);
    schema.emplace("enum", std::move(items));
  }
  return schema;
}

std::optional<Json> schema_value(const Type& type, const Json& value) {
  if (value.is_null()) return takes_all(type) ? std::optional(Json("")) : std::nullopt;
  std::optional<Json> formed = in_form(type, value);
  if (!formed) return std::nullopt;
  switch (type.kind) {
    case Kind::kInt:
      return int_of(*formed);
    case Kind::kNumber:
      return number_of(*formed);
    case Kind::kBool:
      return formed;
    case Kind::kArray:
      return texts_of(formed->get_array());
    default:
      return Json(text_form(*formed));
  }
}

}  // namespace helve::tmpl
