// mcp/detail/calls.h
//
// The requests that may take time: tools/call and prompts/get. Loop thread only.
#pragma once

#include "mcp/detail/methods.h"
#include "mcp/detail/running.h"

namespace helve::mcp {

// What a request came with, beside itself.
struct Arrival {
  Server& server;
  const std::shared_ptr<Peer>& peer;
  const std::shared_ptr<Sink>& sink;
  size_t bytes;  // of its text
};

// Starts it; it is answered through the sink unless it is cancelled before. Refused are what cannot
// be begun at all: unknown tools, a state that is not ours, too much under way.
std::expected<void, ProtocolError> start_call(const Arrival& arrival, Request request,
                                              const Wire& wire);

}  // namespace helve::mcp
