#include "template/template.h"

#include "template/detail/compiled.h"
#include "template/detail/errors.h"
#include "template/detail/expander.h"
#include "template/detail/types.h"

namespace helve::tmpl {

struct Template::Compiled {
  Tree tree;
};

Result<Template> Template::compile(const Json& node, const Options& options) {
  Result<Tree> tree = compile_tree(node, options);
  if (!tree) return std::unexpected(tree.error());
  Template out;
  out.compiled_ = std::make_shared<const Compiled>(*std::move(tree));
  return out;
}

const std::vector<Argument>& Template::arguments() const { return compiled_->tree.arguments; }

const std::vector<Finding>& Template::findings() const { return compiled_->tree.findings; }

const std::vector<std::string>& Template::risks() const { return compiled_->tree.risks; }

Json Template::input_schema(const JsonObject& descriptions) const {
  JsonObject properties;
  JsonArray required;
  for (const Argument& argument : arguments()) {
    JsonObject schema = type_schema(argument.type);
    const Json* words = find(descriptions, argument.name);
    schema.emplace("description", words != nullptr
                                      ? *words
                                      : Json(generated_description(argument.type, argument.name)));
    if (argument.literal_default) schema.emplace("default", *argument.literal_default);
    properties.emplace(argument.name, std::move(schema));
    if (argument.required) required.emplace_back(argument.name);
  }
  return JsonObject{{"type", "object"},
                    {"additionalProperties", false},
                    {"properties", std::move(properties)},
                    {"required", std::move(required)}};
}

Result<JsonObject> Template::normalise(const JsonObject& values) const {
  const Tree& tree = compiled_->tree;
  JsonObject out;
  for (const auto& [key, value] : values) {
    const std::optional<Slot> slot = tree.find(key);
    if (!slot || !tree.is_argument[*slot]) return unknown_value(tree, key);
    if (value.is_null()) continue;  // CT-29
    const Type& type = tree.names[*slot].type;
    std::optional<Json> form = in_form(type, value);
    if (!form) return invalid_value(tree, key, type);
    out.emplace(key, *std::move(form));
  }
  return out;
}

Result<Plan> Template::expand(const JsonObject& values, const Place& place) const {
  return Expander(compiled_->tree, place).run(values);
}

}  // namespace helve::tmpl
