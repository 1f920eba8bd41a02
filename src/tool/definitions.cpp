#include "tool/definitions.h"

#include "base/texts.h"

namespace helve::tool {
namespace {

constexpr std::string_view kPrefix = "helve://tools/";

// With what a client that looks closer wants to know.
JsonObject full_definition_of(const Tool& tool) {
  JsonArray labels;
  for (const std::string& label : tool.labels) labels.emplace_back(label);
  JsonObject out = definition_of(tool);
  if (tool.output) out["outputSchema"] = *tool.output;
  out["deferred"] = tool.deferred;
  out["risks"] = std::move(labels);
  return out;
}

std::vector<std::string> names_of(const Registry& registry) {
  std::vector<std::string> names;
  for (const auto& tool : registry.tools()) names.push_back(tool->name);
  return names;
}

}  // namespace

JsonObject definition_of(const Tool& tool) {
  return {{"name", tool.name}, {"description", tool.description}, {"inputSchema", tool.input}};
}

ResourceProvider tool_definitions(const Registry& registry) {
  return {.prefix = std::string(kPrefix),
          .templates = {{.uri_template = std::string(kPrefix) + "{name}",
                         .name = "tool",
                         .description = text("resource.tool"),
                         .mime_type = "application/json",
                         .values = [&registry](Session&,
                                               std::string_view) { return names_of(registry); }}},
          .read = [&registry](Session&, const std::string& uri) -> Result<ResourceBody> {
            const auto tool = registry.find(std::string_view(uri).substr(kPrefix.size()));
            if (!tool) return refuse("resource.not_found", {{"uri", uri}});
            return ResourceBody{.mime_type = "application/json",
                                .text = write_json(full_definition_of(*tool), JsonStyle::kPretty)};
          }};
}

}  // namespace helve::tool
