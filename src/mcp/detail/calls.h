// mcp/detail/calls.h
//
// The requests that take time: tool calls and subscriptions. Loop thread only.
#pragma once

#include "mcp/detail/methods.h"
#include "mcp/detail/running.h"

namespace helve::mcp {

// Starts the call; it is answered through `sink` unless it is cancelled before.
std::expected<void, ProtocolError> start_call(Server& server, const std::shared_ptr<Peer>& peer,
                                              Request request, const Wire& wire,
                                              const std::shared_ptr<Sink>& sink);

// Acknowledges the subscription, which then lasts until it is cancelled or the peer ends.
std::expected<void, ProtocolError> start_subscription(Peer& peer, const Request& request,
                                                      const Wire& wire,
                                                      const std::shared_ptr<Sink>& sink);

}  // namespace helve::mcp
