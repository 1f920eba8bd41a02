#include "mcp/detail/methods.h"

#include <algorithm>
#include <charconv>

namespace helve::mcp {
namespace {

constexpr int kLongTtl = 3'600'000;  // ms; the tools and texts of a running server do not change
constexpr size_t kPage = 200;        // resources in one answer

// What a modern client may keep, and for whom; older ones know no such members.
JsonObject cacheable(JsonObject result, const Wire& wire, int ttl_ms) {
  if (!wire.modern) return result;
  result["ttlMs"] = ttl_ms;
  result["cacheScope"] = "private";
  return result;
}

// Empty lists are declared too: clients ask for them regardless, and drop servers that refuse
// (R12).
JsonObject capabilities(const Wire& wire) {
  JsonObject out{{"tools", JsonObject()},
                 {"resources", JsonObject()},
                 {"prompts", JsonObject()},
                 {"completions", JsonObject()}};
  if (!wire.modern) out["logging"] = JsonObject();
  return out;
}

std::unexpected<ProtocolError> bad_param(std::string_view name, std::string_view expected) {
  return fail(ErrorCode::kInvalidParams, "mcp.param_invalid",
              {{"param", std::string(name)}, {"expected", std::string(expected)}});
}

Outcome discover(const Context& context, const Request&) {
  JsonObject result{{"supportedVersions", JsonArray{Json(kModern)}},
                    {"capabilities", capabilities(context.wire)}};
  if (!context.info.instructions.empty()) result["instructions"] = context.info.instructions;
  return cacheable(std::move(result), context.wire, kLongTtl);
}

Outcome initialize(const Context& context, const Request& request) {
  const auto wanted = need_text(request.params, "protocolVersion");
  if (!wanted) return std::unexpected(wanted.error());
  const auto known = std::ranges::find(kLegacy, std::string_view(*wanted));
  context.peer.revision = known == kLegacy.end() ? kLegacy.front() : *known;
  JsonObject result{
      {"protocolVersion", context.peer.revision},
      {"capabilities", capabilities(wire_of(context.peer.revision, context.info))},
      {"serverInfo", JsonObject{{"name", context.info.name}, {"version", context.info.version}}}};
  if (!context.info.instructions.empty()) result["instructions"] = context.info.instructions;
  return result;
}

Outcome ping(const Context&, const Request&) { return JsonObject(); }

Outcome set_level(const Context&, const Request& request) {
  constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                       "error", "critical", "alert",  "emergency"};
  const auto level = need_text(request.params, "level");
  if (!level) return std::unexpected(level.error());
  if (std::ranges::find(kLevels, std::string_view(*level)) == kLevels.end()) {
    return bad_param("level", "debug, info, notice, warning, error, critical, alert, emergency");
  }
  return JsonObject();
}

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

Outcome list_tools(const Context& context, const Request& request) {
  JsonArray rows;
  for (const tool::Tool& tool : context.registry.tools()) {
    rows.emplace_back(tool_row(tool, context.wire));
  }
  return page(context, request, "tools", std::move(rows), kLongTtl);
}

void set_unless_empty(JsonObject& row, std::string_view name, const std::string& value) {
  if (!value.empty()) row[name] = value;
}

Outcome list_resources(const Context& context, const Request& request) {
  JsonArray rows;
  for (const tool::ResourceProvider& provider : context.registry.resources()) {
    if (!provider.list) continue;
    for (const tool::Resource& resource : provider.list(context.peer.session())) {
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
  return page(context, request, "resourceTemplates", std::move(rows), kLongTtl);
}

Outcome no_resource(const Context& context, const std::string& uri) {
  return fail(context.wire.modern ? ErrorCode::kInvalidParams : ErrorCode::kResourceMissing,
              "resource.not_found", {{"uri", uri}}, JsonObject{{"uri", uri}});
}

Outcome read_resource(const Context& context, const Request& request) {
  const auto uri = need_text(request.params, "uri");
  if (!uri) return std::unexpected(uri.error());
  for (const tool::ResourceProvider& provider : context.registry.resources()) {
    if (!uri->starts_with(provider.prefix) || !provider.read) continue;
    const auto body = provider.read(context.peer.session(), *uri);
    if (!body && body.error().rule == "resource.not_found") return no_resource(context, *uri);
    if (!body) return std::unexpected(ProtocolError{ErrorCode::kInternal, body.error()});
    JsonObject contents{{"uri", *uri}, {"text", body->text}};
    set_unless_empty(contents, "mimeType", body->mime_type);
    return cacheable({{"contents", JsonArray{std::move(contents)}}}, context.wire, 0);
  }
  return no_resource(context, *uri);
}

Outcome list_prompts(const Context& context, const Request& request) {
  return page(context, request, "prompts", {}, kLongTtl);
}

Outcome get_prompt(const Context&, const Request& request) {
  const auto name = need_text(request.params, "name");
  if (!name) return std::unexpected(name.error());
  return fail(ErrorCode::kInvalidParams, "mcp.prompt_unknown", {{"prompt", *name}});
}

Outcome complete(const Context&, const Request& request) {
  const Json* ref = request.params.if_contains("ref");
  if (ref == nullptr || !find_text(*ref, "type")) return bad_param("ref", "object");
  const Json* argument = request.params.if_contains("argument");
  if (argument == nullptr || !find_text(*argument, "name") || !find_text(*argument, "value")) {
    return bad_param("argument", "object");
  }
  return JsonObject{
      {"completion", JsonObject{{"values", JsonArray()}, {"total", 0}, {"hasMore", false}}}};
}

enum class Eras { kBoth, kModern, kLegacy };
struct Method {
  std::string_view name;
  Eras eras;
  Outcome (*run)(const Context&, const Request&);
};
constexpr Method kMethods[] = {
    {"server/discover", Eras::kModern, discover},
    {"initialize", Eras::kLegacy, initialize},
    {"ping", Eras::kLegacy, ping},
    {"logging/setLevel", Eras::kLegacy, set_level},
    {"tools/list", Eras::kBoth, list_tools},
    {"resources/list", Eras::kBoth, list_resources},
    {"resources/templates/list", Eras::kBoth, list_templates},
    {"resources/read", Eras::kBoth, read_resource},
    {"prompts/list", Eras::kBoth, list_prompts},
    {"prompts/get", Eras::kBoth, get_prompt},
    {"completion/complete", Eras::kBoth, complete},
};

}  // namespace

std::expected<std::string, ProtocolError> need_text(const JsonObject& params,
                                                    std::string_view name) {
  const Json* value = params.if_contains(name);
  if (value == nullptr || !value->is_string()) return bad_param(name, "string");
  return std::string(as_text(*value));
}

Outcome run_method(const Context& context, const Request& request) {
  const Eras other = context.wire.modern ? Eras::kLegacy : Eras::kModern;
  for (const Method& method : kMethods) {
    if (method.name == request.method && method.eras != other) return method.run(context, request);
  }
  return fail(ErrorCode::kMethodUnknown, "mcp.method_unknown", {{"method", request.method}});
}

}  // namespace helve::mcp
