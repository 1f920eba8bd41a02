#include "mcp/detail/methods.h"

#include <algorithm>

#include "mcp/detail/asking.h"
#include "mcp/detail/handlers.h"
#include "mcp/detail/logs.h"
#include "mcp/detail/running.h"

namespace helve::mcp {
namespace {

constexpr int kIdentityTtl = 3'600'000;  // ms; what a running server says of itself stays

// Empty lists are declared too: clients ask for them regardless, and drop servers that refuse
// (R12).
JsonObject capabilities(const Wire& wire) {
  JsonObject out{{"tools", JsonObject{{"listChanged", true}}},
                 {"resources", JsonObject{{"subscribe", true}, {"listChanged", true}}},
                 {"prompts", JsonObject{{"listChanged", true}}},
                 {"completions", JsonObject()}};
  if (!wire.modern) out["logging"] = JsonObject();
  return out;
}

Outcome discover(const Context& context, const Request&) {
  JsonObject result{{"supportedVersions", JsonArray{Json(kModern)}},
                    {"capabilities", capabilities(context.wire)}};
  if (!context.info.instructions.empty()) result["instructions"] = context.info.instructions;
  return cacheable(std::move(result), context.wire, kIdentityTtl);
}

Outcome initialize(const Context& context, const Request& request) {
  const auto wanted = need_text(request.params, "protocolVersion");
  if (!wanted) return std::unexpected(wanted.error());
  const auto known = std::ranges::find(kLegacy, std::string_view(*wanted));
  Peer& peer = context.peer;
  peer.revision = known == kLegacy.end() ? kLegacy.front() : *known;
  const Json* capable = request.params.if_contains("capabilities");
  peer.can_ask = capable == nullptr ? tool::Asks() : asks_of(*capable, peer.revision);
  Requests(peer).hear_of_changes();
  JsonObject result{
      {"protocolVersion", peer.revision},
      {"capabilities", capabilities(wire_of(peer.revision, context.info))},
      {"serverInfo", JsonObject{{"name", context.info.name}, {"version", context.info.version}}}};
  if (!context.info.instructions.empty()) result["instructions"] = context.info.instructions;
  return result;
}

Outcome ping(const Context&, const Request&) { return JsonObject(); }

Outcome set_level(const Context& context, const Request& request) {
  const auto name = need_text(request.params, "level");
  if (!name) return std::unexpected(name.error());
  const auto level = read_level(*name);
  if (!level) return bad_param("level", kLevelList);
  context.peer.log_level = *level;
  return JsonObject();
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
    {"resources/subscribe", Eras::kLegacy, subscribe},
    {"resources/unsubscribe", Eras::kLegacy, unsubscribe},
    {"prompts/list", Eras::kBoth, list_prompts},
    {"completion/complete", Eras::kBoth, complete},
};

}  // namespace

std::unexpected<ProtocolError> bad_param(std::string_view name, std::string_view expected) {
  return fail(ErrorCode::kInvalidParams, "mcp.param_invalid",
              {{"param", std::string(name)}, {"expected", std::string(expected)}});
}

JsonObject cacheable(JsonObject result, const Wire& wire, int ttl_ms) {
  if (!wire.modern) return result;
  result["ttlMs"] = ttl_ms;
  result["cacheScope"] = "private";
  return result;
}

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
