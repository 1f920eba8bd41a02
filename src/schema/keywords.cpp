#include <limits>
#include <optional>

#include "base/texts.h"
#include "schema/detail/compiler.h"
#include "schema/detail/numbers.h"

namespace helve::schema {
namespace {

using Done = Result<void>;
using Reader = Done (*)(Compiler&, Node&, const Keyword&);

Done no(const Keyword& keyword, const char* reason) {
  return invalid(keyword.pointer, text(reason));
}

template <const Node* Node::* kField>
Done read_schema(Compiler& compiler, Node& node, const Keyword& keyword) {
  const auto child = compiler.node_at(keyword.value, keyword.pointer, node.resource);
  if (!child) return std::unexpected(child.error());
  node.*kField = *child;
  return {};
}

template <std::vector<const Node*> Node::* kField>
Done read_schemas(Compiler& compiler, Node& node, const Keyword& keyword) {
  if (!keyword.value.is_array() || keyword.value.get_array().empty()) {
    return no(keyword, "schema.reason.schema_list");
  }
  size_t index = 0;
  for (const Json& item : keyword.value.get_array()) {
    const auto child = compiler.node_at(item, pointer_to(keyword.pointer, index++), node.resource);
    if (!child) return std::unexpected(child.error());
    (node.*kField).push_back(*child);
  }
  return {};
}

// Calls take(name, subschema) for each member; what take refuses is refused.
template <typename Take>
Done each_schema(Compiler& compiler, Node& node, const Keyword& keyword, Take take) {
  if (!keyword.value.is_object()) return no(keyword, "schema.reason.object");
  for (const auto& member : keyword.value.get_object()) {
    const std::string pointer = pointer_to(keyword.pointer, member.key());
    const auto child = compiler.node_at(member.value(), pointer, node.resource);
    if (!child) return std::unexpected(child.error());
    if (Done taken = take(std::string_view(member.key()), *child); !taken) return taken;
  }
  return {};
}

Done read_definitions(Compiler& compiler, Node& node, const Keyword& keyword) {
  return each_schema(compiler, node, keyword, [](auto, auto) { return Done(); });
}

Done read_properties(Compiler& compiler, Node& node, const Keyword& keyword) {
  return each_schema(compiler, node, keyword, [&](std::string_view name, const Node* child) {
    node.properties.emplace(name, child);
    return Done();
  });
}

Done read_pattern_properties(Compiler& compiler, Node& node, const Keyword& keyword) {
  return each_schema(compiler, node, keyword, [&](std::string_view name, const Node* child) {
    const auto pattern = compiler.pattern_at(name, pointer_to(keyword.pointer, name));
    if (!pattern) return Done(std::unexpected(pattern.error()));
    node.pattern_properties.emplace_back(*pattern, child);
    return Done();
  });
}

Done read_dependent_schemas(Compiler& compiler, Node& node, const Keyword& keyword) {
  return each_schema(compiler, node, keyword, [&](std::string_view name, const Node* child) {
    node.dependent_schemas.emplace_back(name, child);
    return Done();
  });
}

std::optional<Names> names_of(const Json& value) {
  if (!value.is_array()) return std::nullopt;
  Names names;
  for (const Json& name : value.get_array()) {
    if (!name.is_string()) return std::nullopt;
    names.push_back(as_text(name));
  }
  return names;
}

Done read_dependent_required(Compiler&, Node& node, const Keyword& keyword) {
  if (!keyword.value.is_object()) return no(keyword, "schema.reason.object");
  for (const auto& member : keyword.value.get_object()) {
    auto names = names_of(member.value());
    if (!names) return no(keyword, "schema.reason.names");
    node.dependent_required.emplace_back(member.key(), *std::move(names));
  }
  return {};
}

// The older keyword, still met in the wild: names or a schema for each property.
Done read_dependencies(Compiler& compiler, Node& node, const Keyword& keyword) {
  if (!keyword.value.is_object()) return no(keyword, "schema.reason.object");
  for (const auto& member : keyword.value.get_object()) {
    if (auto names = names_of(member.value())) {
      node.dependent_required.emplace_back(member.key(), *std::move(names));
      continue;
    }
    const std::string pointer = pointer_to(keyword.pointer, member.key());
    const auto child = compiler.node_at(member.value(), pointer, node.resource);
    if (!child) return std::unexpected(child.error());
    node.dependent_schemas.emplace_back(member.key(), *child);
  }
  return {};
}

Done read_required(Compiler&, Node& node, const Keyword& keyword) {
  auto names = names_of(keyword.value);
  if (!names) return no(keyword, "schema.reason.names");
  node.required = *std::move(names);
  return {};
}

template <const Json* Node::* kField>
Done read_number(Compiler&, Node& node, const Keyword& keyword) {
  if (!keyword.value.is_number()) return no(keyword, "schema.reason.number");
  node.*kField = &keyword.value;
  return {};
}

Done read_multiple_of(Compiler& compiler, Node& node, const Keyword& keyword) {
  if (!keyword.value.is_number() || compare_numbers(keyword.value, Json(0)) <= 0) {
    return no(keyword, "schema.reason.positive");
  }
  return read_number<&Node::multiple_of>(compiler, node, keyword);
}

template <size_t Node::* kField>
Done read_count(Compiler&, Node& node, const Keyword& keyword) {
  const Json& value = keyword.value;
  if (!value.is_number() || !is_whole(value) || compare_numbers(value, Json(0)) < 0) {
    return no(keyword, "schema.reason.count");
  }
  const bool huge = compare_numbers(value, Json(std::numeric_limits<std::int64_t>::max())) > 0;
  node.*kField = huge ? Node::kUnbounded - 1 : value.to_number<size_t>();
  return {};
}

Done read_type(Compiler&, Node& node, const Keyword& keyword) {
  if (keyword.value.is_string()) {
    node.types = type_bit(as_text(keyword.value));
  } else if (const auto names = names_of(keyword.value); names && !names->empty()) {
    for (const std::string_view name : *names) {
      if (type_bit(name) == 0) return no(keyword, "schema.reason.type");
      node.types |= type_bit(name);
    }
  }
  if (node.types == 0) return no(keyword, "schema.reason.type");
  return {};
}

Done read_enum(Compiler&, Node& node, const Keyword& keyword) {
  if (!keyword.value.is_array()) return no(keyword, "schema.reason.array");
  node.enumeration = &keyword.value.get_array();
  return {};
}

Done read_const(Compiler&, Node& node, const Keyword& keyword) {
  node.constant = &keyword.value;
  return {};
}

Done read_unique_items(Compiler&, Node& node, const Keyword& keyword) {
  if (!keyword.value.is_bool()) return no(keyword, "schema.reason.boolean");
  node.unique_items = keyword.value.get_bool();
  return {};
}

Done read_pattern(Compiler& compiler, Node& node, const Keyword& keyword) {
  if (!keyword.value.is_string()) return no(keyword, "schema.reason.text");
  node.pattern_source = as_text(keyword.value);
  const auto pattern = compiler.pattern_at(node.pattern_source, keyword.pointer);
  if (!pattern) return std::unexpected(pattern.error());
  node.pattern = *pattern;
  return {};
}

Done read_items(Compiler& compiler, Node& node, const Keyword& keyword) {
  if (keyword.value.is_array()) return no(keyword, "schema.reason.items_list");
  return read_schema<&Node::items>(compiler, node, keyword);
}

template <bool kDynamic>
Done read_reference(Compiler& compiler, Node& node, const Keyword& keyword) {
  if (!keyword.value.is_string()) return no(keyword, "schema.reason.text");
  compiler.refer(node, as_text(keyword.value), kDynamic);
  return {};
}

const std::unordered_map<std::string_view, Reader>& readers() {
  static const std::unordered_map<std::string_view, Reader> kReaders = {
      {"$ref", read_reference<false>},
      {"$dynamicRef", read_reference<true>},
      {"$defs", read_definitions},
      {"definitions", read_definitions},
      {"allOf", read_schemas<&Node::all_of>},
      {"anyOf", read_schemas<&Node::any_of>},
      {"oneOf", read_schemas<&Node::one_of>},
      {"not", read_schema<&Node::negation>},
      {"if", read_schema<&Node::condition>},
      {"then", read_schema<&Node::consequence>},
      {"else", read_schema<&Node::alternative>},
      {"dependentSchemas", read_dependent_schemas},
      {"dependentRequired", read_dependent_required},
      {"dependencies", read_dependencies},
      {"prefixItems", read_schemas<&Node::prefix_items>},
      {"items", read_items},
      {"contains", read_schema<&Node::contains>},
      {"unevaluatedItems", read_schema<&Node::unevaluated_items>},
      {"properties", read_properties},
      {"patternProperties", read_pattern_properties},
      {"additionalProperties", read_schema<&Node::additional_properties>},
      {"propertyNames", read_schema<&Node::property_names>},
      {"unevaluatedProperties", read_schema<&Node::unevaluated_properties>},
      {"type", read_type},
      {"enum", read_enum},
      {"const", read_const},
      {"minimum", read_number<&Node::minimum>},
      {"maximum", read_number<&Node::maximum>},
      {"exclusiveMinimum", read_number<&Node::exclusive_minimum>},
      {"exclusiveMaximum", read_number<&Node::exclusive_maximum>},
      {"multipleOf", read_multiple_of},
      {"minLength", read_count<&Node::min_length>},
      {"maxLength", read_count<&Node::max_length>},
      {"pattern", read_pattern},
      {"minItems", read_count<&Node::min_items>},
      {"maxItems", read_count<&Node::max_items>},
      {"uniqueItems", read_unique_items},
      {"minContains", read_count<&Node::min_contains>},
      {"maxContains", read_count<&Node::max_contains>},
      {"minProperties", read_count<&Node::min_properties>},
      {"maxProperties", read_count<&Node::max_properties>},
      {"required", read_required},
  };
  return kReaders;
}

}  // namespace

Result<void> read_keyword(Compiler& compiler, Node& node, const Keyword& keyword) {
  const auto reader = readers().find(keyword.name);
  if (reader == readers().end()) return {};
  return reader->second(compiler, node, keyword);
}

}  // namespace helve::schema
