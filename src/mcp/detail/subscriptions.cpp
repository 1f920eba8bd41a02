#include "mcp/detail/subscriptions.h"

#include <algorithm>

#include "mcp/detail/messages.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kTools = "toolsListChanged";
constexpr std::string_view kPrompts = "promptsListChanged";
constexpr std::string_view kResources = "resourcesListChanged";
constexpr std::string_view kUris = "resourceSubscriptions";

std::unexpected<ProtocolError> bad_kind(std::string_view kind, std::string_view expected) {
  return fail(
      ErrorCode::kInvalidParams, "mcp.param_invalid",
      {{"param", "notifications." + std::string(kind)}, {"expected", std::string(expected)}});
}

std::expected<bool, ProtocolError> read_flag(const JsonObject& kinds, std::string_view kind) {
  const Json* flag = kinds.if_contains(kind);
  if (flag == nullptr) return false;
  if (!flag->is_bool()) return bad_kind(kind, "boolean");
  return flag->get_bool();
}

std::expected<void, ProtocolError> read_uris(const JsonObject& kinds, Changes& wanted) {
  const Json* uris = kinds.if_contains(kUris);
  if (uris == nullptr) return {};
  if (!uris->is_array()) return bad_kind(kUris, "array of strings");
  for (const Json& uri : uris->get_array()) {
    if (!uri.is_string()) return bad_kind(kUris, "array of strings");
    wanted.uris.emplace(as_text(uri));
  }
  if (wanted.uris.size() <= kMostUris) return {};
  return fail(ErrorCode::kInvalidParams, "mcp.too_many_uris",
              {{"limit", std::to_string(kMostUris)}});
}

JsonObject granted(const Changes& wanted) {
  JsonObject out;
  if (wanted.tools) out[kTools] = true;
  if (wanted.prompts) out[kPrompts] = true;
  if (wanted.resources) out[kResources] = true;
  if (!wanted.uris.empty()) out[kUris] = JsonArray(wanted.uris.begin(), wanted.uris.end());
  return out;
}

void tell(Sink& sink, const Changes& changes, const Changes& wanted, const Json* subscription) {
  const auto say = [&](std::string_view method, JsonObject params = {}) {
    sink.notify(encode_change(method, std::move(params), subscription));
  };
  if (changes.tools && wanted.tools) say("notifications/tools/list_changed");
  if (changes.prompts && wanted.prompts) say("notifications/prompts/list_changed");
  if (changes.resources && wanted.resources) say("notifications/resources/list_changed");
  for (const std::string& uri : changes.uris) {
    if (wanted.uris.contains(uri)) say("notifications/resources/updated", {{"uri", uri}});
  }
}

std::expected<void, ProtocolError> check_room(Server& server, Peer& peer, const Json& id) {
  if (Requests(peer).has(id)) return fail(ErrorCode::kInvalidRequest, "mcp.id_in_use");
  if (!Requests(peer).full() && server.hub().subscriptions < server.most_subscriptions) return {};
  return fail(ErrorCode::kInternal, "mcp.too_many_subscriptions",
              {{"limit", std::to_string(std::min(Requests::kMost, server.most_subscriptions))}});
}

}  // namespace

std::expected<Changes, ProtocolError> read_wanted(const JsonObject& params) {
  const Json* kinds = params.if_contains("notifications");
  if (kinds == nullptr || !kinds->is_object()) {
    return fail(ErrorCode::kInvalidParams, "mcp.param_invalid",
                {{"param", "notifications"}, {"expected", "object"}});
  }
  Changes wanted;
  for (const auto& [kind, flag] : {std::pair{kTools, &wanted.tools},
                                   {kPrompts, &wanted.prompts},
                                   {kResources, &wanted.resources}}) {
    const auto value = read_flag(kinds->get_object(), kind);
    if (!value) return std::unexpected(value.error());
    *flag = *value;
  }
  if (auto uris = read_uris(kinds->get_object(), wanted); !uris) {
    return std::unexpected(uris.error());
  }
  return wanted;
}

std::expected<void, ProtocolError> start_subscription(Server& server, Peer& peer,
                                                      const Request& request, const Wire& wire,
                                                      const std::shared_ptr<Sink>& sink) {
  if (auto room = check_room(server, peer, request.id); !room) return room;
  auto wanted = read_wanted(request.params);
  if (!wanted) return std::unexpected(wanted.error());
  std::erase_if(wanted->uris, [&](const std::string& uri) {
    return !is_resource(server.registry(), *peer.session(), uri);
  });
  Requests requests(peer);
  const auto running = std::make_shared<Running>();
  running->id = request.id;
  running->wire = wire;
  running->sink = sink;
  running->share = requests.share(0, 1);
  running->wanted = *wanted;
  requests.open(running);
  requests.hear_of_changes();
  sink->notify(encode_subscription(request.id, granted(*wanted)));
  return {};
}

void tell_changes(Peer& peer, const Changes& changes) {
  if (!peer.revision.empty() && peer.push) {
    const auto push = peer.push;
    tell(*push, changes, {true, true, true, peer.subscribed}, nullptr);
  }
  for (const auto& running : Requests(peer).subscriptions()) {
    const auto sink = running->sink;  // whoever is told may end it
    const auto& wanted = running->wanted;
    if (sink && wanted) tell(*sink, changes, *wanted, &running->id);
  }
}

bool is_resource(tool::Registry& registry, tool::Session& session, const std::string& uri) {
  return std::ranges::any_of(registry.resources(), [&](const tool::ResourceProvider& provider) {
    return uri.starts_with(provider.prefix) && provider.read &&
           provider.read(session, uri).has_value();
  });
}

}  // namespace helve::mcp
