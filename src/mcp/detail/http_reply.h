// mcp/detail/http_reply.h
//
// Answers over HTTP as this face gives them: the type, and what browsers want to see before a page
// of an allowed origin may read them. Pure; any thread.
#pragma once

#include <string>

#include "http/message.h"
#include "mcp/detail/wire.h"

namespace helve::mcp {

inline constexpr const char* kSessionHeader = "Mcp-Session-Id";
inline constexpr const char* kVersionHeader = "MCP-Protocol-Version";

http::Response empty_reply(const http::Request& request, unsigned status);
http::Response json_reply(const http::Request& request, unsigned status, std::string body);
http::Response error_reply(const http::Request& request, unsigned status, const Json& id,
                           const ProtocolError& error);
// The head of a stream of server-sent events.
http::Response stream_reply(const http::Request& request);

// A refusal as a JSON-RPC error without an id. Its code is -32600.
http::Response refusal_reply(const http::Request& request, unsigned status, Refusal why);

// The answer to an OPTIONS request of a browser, whose origin has been admitted.
http::Response preflight_reply(const http::Request& request);
bool is_preflight(const http::Request& request);

// The status of an answer of the core. Errors of the handshake revisions arrive with 200, as their
// clients expect; there only what is no proper request has 400. `listening`: a subscription, which
// fails inside only where there are too many.
unsigned status_of(int error_code, bool modern, bool listening);

}  // namespace helve::mcp
