// mcp/detail/http_route.h
//
// What came with a POST, and its era: the body decides, the headers are held against it, in the
// order of the official server (spec, 1.3). Pure; any thread.
#pragma once

#include <expected>
#include <string_view>
#include <variant>

#include "http/message.h"
#include "mcp/detail/envelope.h"

namespace helve::mcp {

struct Routed {
  enum class Way {
    kInitialize,  // begins a session
    kSession,     // of a handshake revision, by its session
    kModern,
  };
  Way way = Way::kSession;
  std::variant<Message, JsonArray> body;  // an array is a batch
};

struct Misrouted {
  Json id;  // null where the body does not tell
  ProtocolError error;
};

// What is refused is answered with 400. A Request or Notification of the modern revision has passed
// all header checks but those of Mcp-Param headers.
std::expected<Routed, Misrouted> route(const http::Headers& headers, std::string_view body);

// MCP-Protocol-Version names the modern revision or a later one.
bool names_modern(const http::Headers& headers);

}  // namespace helve::mcp
