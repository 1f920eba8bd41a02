// The lists, a page at a time, and completion.
#include <charconv>

#include "mcp/detail/handlers.h"

namespace helve::mcp {
namespace {

constexpr int kListTtl = 60'000;  // ms; who wants to know of a change at once subscribes
constexpr size_t kPage = 200;     // rows in one answer

// The place in a list that a cursor of ours names; 0 without one.
std::expected<size_t, ProtocolError> read_cursor(const JsonObject& params) {
  const Json* cursor = params.if_contains("cursor");
  if (cursor == nullptr || cursor->is_null()) return 0U;
  size_t at = 0;
  const std::string_view digits = cursor->is_string() ? as_text(*cursor) : "";
  const auto end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, at);
  if (digits.empty() || read.ec != std::errc() || read.ptr != end || at == 0 || at % kPage != 0) {
    return fail(ErrorCode::kInvalidParams, "mcp.cursor_unknown");
  }
  return at;
}

// One page of `rows` under `name`, with the cursor of the next one.
Outcome page(const Context& context, const Request& request, std::string_view name, JsonArray rows,
             int ttl_ms) {
  const auto from = read_cursor(request.params);
  if (!from) return std::unexpected(from.error());
  if (*from != 0 && *from >= rows.size()) {
    return fail(ErrorCode::kInvalidParams, "mcp.cursor_unknown");
  }
  JsonObject result;
  if (rows.size() > *from + kPage) {
    result["nextCursor"] = std::to_string(*from + kPage);
    rows.resize(*from + kPage);
  }
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(*from));
  result[name] = std::move(rows);
  return cacheable(std::move(result), context.wire, ttl_ms);
}

void set_unless_empty(JsonObject& row, std::string_view name, const std::string& value) {
  if (!value.empty()) row[name] = value;
}

JsonObject prompt_row(const tool::Prompt& prompt, const Wire& wire) {
  JsonObject row{{"name", prompt.name}};
  if (wire.structured) set_unless_empty(row, "title", prompt.title);
  set_unless_empty(row, "description", prompt.description);
  JsonArray arguments;
  for (const tool::PromptArgument& argument : prompt.arguments) {
    JsonObject shown{{"name", argument.name}};
    set_unless_empty(shown, "description", argument.description);
    if (argument.required) shown["required"] = true;
    arguments.emplace_back(std::move(shown));
  }
  if (!arguments.empty()) row["arguments"] = std::move(arguments);
  return row;
}

using Found = Result<tool::Registry::Completion>;

std::expected<Found, ProtocolError> find_values(const Context& context, const Json& ref,
                                                std::string_view name, std::string_view value) {
  const auto type = find_text(ref, "type");
  if (type == "ref/prompt") {
    const auto prompt = find_text(ref, "name");
    if (!prompt) return bad_param("ref.name", "string");
    return context.registry.complete_prompt(*prompt, name, value);
  }
  if (type != "ref/resource") return bad_param("ref.type", "ref/prompt, ref/resource");
  const auto uri = find_text(ref, "uri");
  if (!uri) return bad_param("ref.uri", "string");
  return context.registry.complete_resource(*context.peer.session(), *uri, name, value);
}

}  // namespace

// The deferred ones are called without being listed (decisions, section 8).
Outcome list_tools(const Context& context, const Request& request) {
  JsonArray rows;
  for (const auto& tool : context.registry.tools()) {
    if (!tool->deferred) rows.emplace_back(tool_row(*tool, context.wire));
  }
  return page(context, request, "tools", std::move(rows), kListTtl);
}

Outcome list_resources(const Context& context, const Request& request) {
  JsonArray rows;
  for (const tool::ResourceProvider& provider : context.registry.resources()) {
    if (!provider.list) continue;
    for (const tool::Resource& resource : provider.list(*context.peer.session())) {
      JsonObject row{{"uri", resource.uri}, {"name", resource.name}};
      if (context.wire.structured) set_unless_empty(row, "title", resource.title);
      set_unless_empty(row, "description", resource.description);
      set_unless_empty(row, "mimeType", resource.mime_type);
      rows.emplace_back(std::move(row));
    }
  }
  return page(context, request, "resources", std::move(rows), 0);
}

Outcome list_templates(const Context& context, const Request& request) {
  JsonArray rows;
  for (const tool::ResourceProvider& provider : context.registry.resources()) {
    for (const tool::ResourceTemplate& resource : provider.templates) {
      JsonObject row{{"uriTemplate", resource.uri_template}, {"name", resource.name}};
      set_unless_empty(row, "description", resource.description);
      set_unless_empty(row, "mimeType", resource.mime_type);
      rows.emplace_back(std::move(row));
    }
  }
  return page(context, request, "resourceTemplates", std::move(rows), kListTtl);
}

Outcome list_prompts(const Context& context, const Request& request) {
  JsonArray rows;
  for (const auto& prompt : context.registry.prompts()) {
    rows.emplace_back(prompt_row(*prompt, context.wire));
  }
  return page(context, request, "prompts", std::move(rows), kListTtl);
}

Outcome complete(const Context& context, const Request& request) {
  const Json* ref = request.params.if_contains("ref");
  if (ref == nullptr || !find_text(*ref, "type")) return bad_param("ref", "object");
  const Json* argument = request.params.if_contains("argument");
  const auto name = argument == nullptr ? std::nullopt : find_text(*argument, "name");
  const auto value = argument == nullptr ? std::nullopt : find_text(*argument, "value");
  if (!name || !value) return bad_param("argument", "object");
  const auto found = find_values(context, *ref, *name, *value);
  if (!found) return std::unexpected(found.error());
  if (!*found) return std::unexpected(ProtocolError{ErrorCode::kInvalidParams, found->error()});
  const tool::Registry::Completion& values = **found;
  return JsonObject{
      {"completion", JsonObject{{"values", JsonArray(values.values.begin(), values.values.end())},
                                {"total", values.total},
                                {"hasMore", values.total > values.values.size()}}}};
}

}  // namespace helve::mcp
