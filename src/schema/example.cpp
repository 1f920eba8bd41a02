#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "schema/detail/numbers.h"
#include "schema/detail/program.h"
#include "schema/schema.h"

namespace helve::schema {
namespace {

constexpr size_t kMaxDepth = 8;
constexpr size_t kShownProperties = 3;  // where none is required

constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
    {"date", "2026-01-31"},
    {"time", "12:30:00Z"},
    {"date-time", "2026-01-31T12:30:00Z"},
    {"email", "name@example.org"},
    {"uri", "https://example.org/"},
    {"uuid", "123e4567-e89b-42d3-a456-426614174000"},
    {"ipv4", "192.0.2.1"},
    {"ipv6", "2001:db8::1"},
    {"hostname", "example.org"}};

size_t count_of(const Json& schema, std::string_view keyword, size_t fallback) {
  const Json* value = find(schema, keyword);
  constexpr size_t kLongest = 64;  // an example stays short, even where it then falls short
  if (value == nullptr || !value->is_number() || compare_numbers(*value, Json(0)) < 0) {
    return fallback;
  }
  if (compare_numbers(*value, Json(kLongest)) > 0) return kLongest;
  return static_cast<size_t>(value->is_double() ? value->get_double() : value->to_number<double>());
}

class Examples {
 public:
  explicit Examples(const Json& root) : root_(root) {}

  Json of(const Json& schema, size_t depth) const {
    if (!schema.is_object() || depth > kMaxDepth) return nullptr;
    if (const Json* given = given_value(schema)) return *given;
    if (const auto reference = find_text(schema, "$ref")) return referred(*reference, depth);
    if (find(schema, "type") == nullptr) {
      if (const Json* part = first_of(schema, {"anyOf", "oneOf", "allOf"}))
        return of(*part, depth + 1);
    }
    return of_type(schema, depth);
  }

 private:
  static const Json* given_value(const Json& schema) {
    for (const std::string_view keyword : {"const", "default"}) {
      if (const Json* value = find(schema, keyword)) return value;
    }
    return first_of(schema, {"examples", "enum"});
  }

  // The first item of the first of these lists that has one.
  static const Json* first_of(const Json& schema,
                              std::initializer_list<std::string_view> keywords) {
    for (const std::string_view keyword : keywords) {
      const Json* list = find(schema, keyword);
      if (list != nullptr && list->is_array() && !list->get_array().empty()) {
        return &list->get_array().front();
      }
    }
    return nullptr;
  }

  Json referred(std::string_view reference, size_t depth) const {
    if (!reference.starts_with('#')) return nullptr;
    boost::system::error_code error;
    const Json* target = root_.find_pointer(reference.substr(1), error);
    return target == nullptr ? Json(nullptr) : of(*target, depth + 1);
  }

  static std::string_view type_of(const Json& schema) {
    if (const auto name = find_text(schema, "type")) return *name;
    const Json* type = find(schema, "type");
    if (type != nullptr && type->is_array() && !type->get_array().empty() &&
        type->get_array().front().is_string()) {
      return as_text(type->get_array().front());
    }
    if (find(schema, "properties") != nullptr) return "object";
    return find(schema, "items") != nullptr ? "array" : "string";
  }

  Json of_type(const Json& schema, size_t depth) const {
    const std::string_view type = type_of(schema);
    if (type == "object") return object(schema, depth);
    if (type == "array") return array(schema, depth);
    if (type == "integer" || type == "number") return number(schema);
    if (type == "boolean") return true;
    if (type == "null") return nullptr;
    return Json(string(schema));
  }

  Json object(const Json& schema, size_t depth) const {
    JsonObject out;
    const Json* properties = find(schema, "properties");
    const auto add = [&](std::string_view name) {
      const Json* property = properties == nullptr ? nullptr : find(*properties, name);
      out[name] = property == nullptr ? Json("text") : of(*property, depth + 1);
    };
    const Json* required = find(schema, "required");
    if (required != nullptr && required->is_array()) {
      for (const Json& name : required->get_array()) {
        if (name.is_string()) add(as_text(name));
      }
    }
    if (!out.empty() || properties == nullptr || !properties->is_object()) return out;
    for (const auto& member : properties->get_object()) {
      if (out.size() < kShownProperties) add(member.key());
    }
    return out;
  }

  Json array(const Json& schema, size_t depth) const {
    JsonArray out;
    const Json* prefix = find(schema, "prefixItems");
    const Json* items = find(schema, "items");
    const size_t most = count_of(schema, "maxItems", Node::kUnbounded);
    if (prefix != nullptr && prefix->is_array()) {
      for (const Json& item : prefix->get_array()) {
        if (out.size() < most) out.push_back(of(item, depth + 1));
      }
    }
    const size_t wanted = std::min(most, count_of(schema, "minItems", out.empty() ? 1 : 0));
    while (out.size() < wanted) {
      out.push_back(items == nullptr ? Json("text") : of(*items, depth + 1));
    }
    return out;
  }

  static Json number(const Json& schema) {
    const Json* step = find(schema, "multipleOf");
    const Json one = step != nullptr && step->is_number() ? *step : Json(1);
    const Json* bounds[] = {find(schema, "minimum"), find(schema, "maximum")};
    const Json* outside[] = {find(schema, "exclusiveMinimum"), find(schema, "exclusiveMaximum")};
    std::vector<Json> candidates = {one, Json(1), Json(0)};
    for (const Json* bound : bounds) {
      if (bound != nullptr) candidates.push_back(*bound);
    }
    for (const Json* bound : outside) {
      if (bound == nullptr || !bound->is_number()) continue;
      const double value = bound->to_number<double>();
      candidates.emplace_back(static_cast<std::int64_t>(std::floor(value)) + 1);
      candidates.emplace_back(static_cast<std::int64_t>(std::ceil(value)) - 1);
      candidates.emplace_back(value + 0.5);
      candidates.emplace_back(value - 0.5);
    }
    return first_accepted(schema, candidates);
  }

  static std::string string(const Json& schema) {
    const auto format = find_text(schema, "format");
    for (const auto& [name, sample] : kFormats) {
      if (format == name) return std::string(sample);
    }
    std::string out = "text";
    const size_t least = count_of(schema, "minLength", 0);
    while (out.size() < least) out += "text";
    const size_t most = std::max(least, count_of(schema, "maxLength", Node::kUnbounded));
    return out.substr(0, std::min(out.size(), least > 4 ? least : most));
  }

  static Json first_accepted(const Json& schema, const std::vector<Json>& candidates) {
    const auto compiled = Schema::compile(schema);
    if (compiled) {
      for (const Json& candidate : candidates) {
        if (compiled->accepts(candidate)) return candidate;
      }
    }
    return candidates.front();
  }

  const Json& root_;
};

}  // namespace

Json example(const Json& schema) { return Examples(schema).of(schema, 0); }

}  // namespace helve::schema
