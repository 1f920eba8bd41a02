// What hosts are known to choke on (R7): one such schema makes some of them drop the whole list.
#include <algorithm>

#include "schema/schema.h"

namespace helve::schema {
namespace {

constexpr std::string_view kCombinators[] = {"anyOf", "oneOf", "allOf", "not", "$ref", "enum"};
constexpr size_t kMaxPropertyName = 64;

// [a-zA-Z0-9_.-]{1,64}: the narrowest alphabet that a known host holds property names against.
bool is_portable_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxPropertyName &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.' || c == '-';
         });
}

class Lint {
 public:
  std::vector<Finding> run(const Json& schema) {
    if (!schema.is_object()) {
      error("", "schema.portable_root");
      return std::move(findings_);
    }
    if (find_text(schema, "type") != "object") error("/type", "schema.portable_root");
    if (find(schema, "properties") == nullptr) error("", "schema.portable_properties");
    for (const std::string_view keyword : kCombinators) {
      if (find(schema, keyword) == nullptr) continue;
      error(pointer_to("", keyword), "schema.portable_root_keyword",
            {{"keyword", std::string(keyword)}});
    }
    subschema(schema, "");
    return std::move(findings_);
  }

 private:
  void error(std::string pointer, std::string_view rule, Texts args = {}) {
    add(Finding::Severity::kError, std::move(pointer), rule, std::move(args));
  }
  void warn(std::string pointer, std::string_view rule, Texts args = {}) {
    add(Finding::Severity::kWarning, std::move(pointer), rule, std::move(args));
  }
  void add(Finding::Severity severity, std::string pointer, std::string_view rule, Texts args) {
    args.emplace_back("pointer", pointer);
    findings_.push_back({severity, std::move(pointer), {std::string(rule), std::move(args)}});
  }

  void subschema(const Json& schema, const std::string& at) {
    if (schema.is_bool()) return error(at, "schema.portable_boolean");
    if (!schema.is_object()) return;  // compile() refuses it
    const Json* type = find(schema, "type");
    if (type != nullptr && type->is_array()) {
      error(pointer_to(at, "type"), "schema.portable_type_list");
    }
    if (find_text(schema, "type") == "array") items(schema, at);
    if (find(schema, "$ref") != nullptr && !at.empty()) {
      warn(pointer_to(at, "$ref"), "schema.portable_reference");
    }
    properties(schema, at);
    required(schema, at);
    alternatives(schema, at);
    children(schema, at);
  }

  void items(const Json& schema, const std::string& at) {
    const Json* items = find(schema, "items");
    if (items == nullptr) return error(at, "schema.portable_items");
    if (items->is_object() && find(*items, "type") == nullptr) {
      error(pointer_to(at, "items"), "schema.portable_items_type");
    }
  }

  void properties(const Json& schema, const std::string& at) {
    const Json* properties = find(schema, "properties");
    if (properties == nullptr || !properties->is_object()) return;
    const std::string list = pointer_to(at, "properties");
    for (const auto& member : properties->get_object()) {
      const std::string pointer = pointer_to(list, member.key());
      if (!is_portable_name(member.key())) {
        error(pointer, "schema.portable_name", {{"name", std::string(member.key())}});
      }
      if (member.value().is_object() && !find_text(member.value(), "description")) {
        warn(pointer, "schema.portable_description", {{"name", std::string(member.key())}});
      }
      subschema(member.value(), pointer);
    }
  }

  void required(const Json& schema, const std::string& at) {
    const Json* required = find(schema, "required");
    if (required == nullptr || !required->is_array()) return;
    const Json* properties = find(schema, "properties");
    size_t index = 0;
    for (const Json& name : required->get_array()) {
      const std::string pointer = pointer_to(pointer_to(at, "required"), index++);
      if (!name.is_string() || (properties != nullptr && find(*properties, as_text(name))))
        continue;
      error(pointer, "schema.portable_required", {{"name", std::string(as_text(name))}});
    }
  }

  void alternatives(const Json& schema, const std::string& at) {
    for (const std::string_view keyword : {"anyOf", "oneOf"}) {
      const Json* list = find(schema, keyword);
      if (list == nullptr || !list->is_array()) continue;
      const JsonArray& parts = list->get_array();
      const bool nullable = std::any_of(parts.begin(), parts.end(), [](const Json& part) {
        return find_text(part, "type") == "null";
      });
      if (nullable) error(pointer_to(at, keyword), "schema.portable_nullable");
    }
  }

  // The other places where a schema may stand. `additionalProperties: false` is taken everywhere.
  void children(const Json& schema, const std::string& at) {
    for (const auto& member : schema.get_object()) {
      const std::string_view key = member.key();
      const Json& value = member.value();
      const std::string pointer = pointer_to(at, key);
      const bool one = key == "items" || key == "not" || key == "contains" || key == "if" ||
                       key == "then" || key == "else" || key == "propertyNames";
      const bool closing = key == "additionalProperties" || key == "unevaluatedProperties" ||
                           key == "unevaluatedItems";
      if (one || (closing && value.is_object())) subschema(value, pointer);
      if (value.is_array() && (key.ends_with("Of") || key == "prefixItems")) {
        size_t index = 0;
        for (const Json& part : value.get_array()) subschema(part, pointer_to(pointer, index++));
      }
      const bool table = key == "$defs" || key == "definitions" || key == "patternProperties" ||
                         key == "dependentSchemas";
      if (!table || !value.is_object()) continue;
      for (const auto& part : value.get_object()) {
        subschema(part.value(), pointer_to(pointer, part.key()));
      }
    }
  }

  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> portability(const Json& schema) { return Lint().run(schema); }

}  // namespace helve::schema
