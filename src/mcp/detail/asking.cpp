#include "mcp/detail/asking.h"

#include "base/check.h"
#include "base/ids.h"

namespace helve::mcp {
namespace {

bool has_object(const Json& value, std::string_view key) {
  const Json* member = find(value, key);
  return member != nullptr && member->is_object();
}

bool is_url(const tool::InputRequest& request) {
  const Json* mode = request.params.if_contains("mode");
  return mode != nullptr && *mode == Json("url");
}

void need_elicitation(JsonObject& out, std::string_view mode) {
  Json& modes = out["elicitation"];
  if (modes.is_null()) modes = JsonObject();
  modes.get_object()[mode] = JsonObject();
}

// [{"const": "a", "title": "A"}, ...] as the members "enum" and "enumNames".
void use_old_choices(JsonObject& schema, std::string_view key) {
  const Json* choices = schema.if_contains(key);
  if (choices == nullptr || !choices->is_array()) return;
  JsonArray values, titles;
  for (const Json& choice : choices->get_array()) {
    const Json* value = find(choice, "const");
    if (value == nullptr) return;
    const Json* title = find(choice, "title");
    values.push_back(*value);
    titles.push_back(title == nullptr ? *value : *title);
  }
  schema["enum"] = std::move(values);
  schema["enumNames"] = std::move(titles);
  schema.stable_erase(key);
}

void use_old_form(JsonObject& params) {
  params.stable_erase("mode");
  Json* schema = params.if_contains("requestedSchema");
  Json* properties = schema == nullptr || !schema->is_object()
                         ? nullptr
                         : schema->get_object().if_contains("properties");
  if (properties == nullptr || !properties->is_object()) return;
  for (auto& property : properties->get_object()) {
    if (!property.value().is_object()) continue;
    JsonObject& field = property.value().get_object();
    use_old_choices(field, "oneOf");
    Json* items = field.if_contains("items");
    if (items != nullptr && items->is_object()) use_old_choices(items->get_object(), "anyOf");
  }
}

}  // namespace

tool::Asks asks_of(const Json& capabilities, std::string_view revision) {
  tool::Asks asks{.sampling = has_object(capabilities, "sampling"),
                  .roots = has_object(capabilities, "roots")};
  if (revision < "2025-06-18" || !has_object(capabilities, "elicitation")) return asks;
  const Json& modes = *find(capabilities, "elicitation");
  asks.url = has_object(modes, "url") && revision >= "2025-11-25";
  asks.form = has_object(modes, "form") || !has_object(modes, "url");
  return asks;
}

JsonObject missing_capabilities(const std::vector<tool::InputRequest>& requests, tool::Asks asks) {
  JsonObject missing;
  for (const tool::InputRequest& request : requests) {
    if (request.method == "elicitation/create") {
      if (is_url(request) && !asks.url) need_elicitation(missing, "url");
      if (!is_url(request) && !asks.form) need_elicitation(missing, "form");
    } else if (request.method == "sampling/createMessage") {
      if (!asks.sampling) missing["sampling"] = JsonObject();
    } else {
      HELVE_CHECK(request.method == "roots/list");
      if (!asks.roots) missing["roots"] = JsonObject();
    }
  }
  return missing;
}

std::string capability_names(const JsonObject& capabilities) {
  std::string out;
  const auto add = [&](std::string_view name) {
    if (!out.empty()) out += ", ";
    out += name;
  };
  for (const auto& [name, modes] : capabilities) {
    if (modes.get_object().empty()) add(name);
    for (const auto& mode : modes.get_object()) {
      add(std::string(name) + "." + std::string(mode.key()));
    }
  }
  return out;
}

JsonObject question_params(const tool::InputRequest& request, const Wire& wire) {
  JsonObject params = request.params;
  if (request.method != "elicitation/create") return params;
  if (is_url(request)) {
    params["elicitationId"] = random_hex(8);
  } else if (!wire.rich_forms) {
    use_old_form(params);
  }
  return params;
}

}  // namespace helve::mcp
