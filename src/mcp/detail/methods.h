// mcp/detail/methods.h
//
// The methods that are answered at once, by name and era: handshake, lists, resources, completion.
// Calls and prompts are in mcp/detail/calls.h, subscriptions in mcp/detail/subscriptions.h. Loop
// thread only.
#pragma once

#include <optional>

#include "mcp/detail/envelope.h"
#include "mcp/server.h"

namespace helve::mcp {

struct Context {
  tool::Registry& registry;
  const ServerInfo& info;
  Peer& peer;
  const Wire& wire;
};

// -32601 for a method that the era does not have.
Outcome run_method(const Context& context, const Request& request);

// A text parameter that must be there; -32602 otherwise.
std::expected<std::string, ProtocolError> need_text(const JsonObject& params,
                                                    std::string_view name);

std::unexpected<ProtocolError> bad_param(std::string_view name, std::string_view expected);

}  // namespace helve::mcp
