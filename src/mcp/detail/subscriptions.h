// mcp/detail/subscriptions.h
//
// Who hears of changed lists and resources: modern clients through subscriptions/listen, older ones
// unasked for lists and after resources/subscribe for resources. Loop thread only.
#pragma once

#include "mcp/detail/envelope.h"
#include "mcp/detail/running.h"
#include "mcp/server.h"

namespace helve::mcp {

// Acknowledges the subscription, which then lasts until it is cancelled or the peer ends.
std::expected<void, ProtocolError> start_subscription(Server& server, Peer& peer,
                                                      const Request& request, const Wire& wire,
                                                      const std::shared_ptr<Sink>& sink);

// The kinds and URIs that `notifications` of subscriptions/listen names.
std::expected<Changes, ProtocolError> read_wanted(const JsonObject& params);

// Tells one client what it wanted to hear of.
void tell_changes(Peer& peer, const Changes& changes);

// True if a provider reads it now.
bool is_resource(tool::Registry& registry, tool::Session& session, const std::string& uri);

inline constexpr size_t kMostUris = 1024;  // of one client or subscription

}  // namespace helve::mcp
