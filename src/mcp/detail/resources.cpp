// Resources: reading them, and for handshake clients hearing of their changes.
#include "base/base64.h"
#include "mcp/detail/handlers.h"
#include "mcp/detail/subscriptions.h"

namespace helve::mcp {
namespace {

Outcome no_resource(const Context& context, const std::string& uri) {
  return fail(context.wire.modern ? ErrorCode::kInvalidParams : ErrorCode::kResourceMissing,
              "resource.not_found", {{"uri", uri}}, JsonObject{{"uri", uri}});
}

JsonObject contents_of(const std::string& uri, const tool::ResourceBody& body) {
  JsonObject contents{{"uri", uri}};
  if (body.binary) {
    contents["blob"] = encode_base64(body.text);
  } else {
    contents["text"] = body.text;
  }
  if (!body.mime_type.empty()) contents["mimeType"] = body.mime_type;
  return contents;
}

}  // namespace

Outcome read_resource(const Context& context, const Request& request) {
  const auto uri = need_text(request.params, "uri");
  if (!uri) return std::unexpected(uri.error());
  for (const tool::ResourceProvider& provider : context.registry.resources()) {
    if (!uri->starts_with(provider.prefix) || !provider.read) continue;
    const auto body = provider.read(*context.peer.session(), *uri);
    if (!body && body.error().rule == "resource.not_found") return no_resource(context, *uri);
    if (!body) return std::unexpected(ProtocolError{ErrorCode::kInternal, body.error()});
    return cacheable({{"contents", JsonArray{contents_of(*uri, *body)}}}, context.wire, 0);
  }
  return no_resource(context, *uri);
}

Outcome subscribe(const Context& context, const Request& request) {
  auto uri = need_text(request.params, "uri");
  if (!uri) return std::unexpected(uri.error());
  Peer& peer = context.peer;
  if (peer.subscribed.contains(*uri)) return JsonObject();
  if (!is_resource(context.registry, *peer.session(), *uri)) return no_resource(context, *uri);
  if (peer.subscribed.size() >= kMostUris) {
    return fail(ErrorCode::kInvalidParams, "mcp.too_many_uris",
                {{"limit", std::to_string(kMostUris)}});
  }
  peer.subscribed.insert(*std::move(uri));
  return JsonObject();
}

// Of what was never subscribed to, too: the client wants to hear nothing, and hears nothing.
Outcome unsubscribe(const Context& context, const Request& request) {
  const auto uri = need_text(request.params, "uri");
  if (!uri) return std::unexpected(uri.error());
  context.peer.subscribed.erase(*uri);
  return JsonObject();
}

}  // namespace helve::mcp
