// mcp/detail/envelope.h
//
// From a decoded JSON value to a request, a notification or a response, and from a request to its
// era: a `_meta` that names a protocol version is modern, anything else is a handshake client's.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "mcp/detail/wire.h"

namespace helve::mcp {

struct Request {
  Json id;
  std::string method;
  JsonObject params;
};
struct Notification {
  std::string method;
  JsonObject params;
};
// The client's, to a request of ours. `id` is null where it does not tell.
struct Response {
  Json id;
  Json result = nullptr;             // an object, or null for an error
  std::optional<std::string> error;  // what the client says went wrong
};
struct Malformed {
  Json id;  // null where the message does not tell
  ProtocolError error;
};
using Message = std::variant<Request, Notification, Response, Malformed>;

// A message or a batch. Refused: what parse_json refuses, with the id of the message where that can
// be told, so that the client does not wait for ever. Half a surrogate pair is refused in calls of
// tools alone, where U+FFFD would be another text than the one that was meant.
std::expected<Json, Malformed> decode(std::string_view message);

// One message, not a batch.
Message read_message(Json value);

// JSON-RPC ids of this protocol: a text of at most 1,024 bytes, or a whole number.
bool is_id(const Json& value);

// The protocol version that the request's own envelope names; nullopt for a handshake client.
// Malformed envelopes are -32602, versions that we do not serve -32022.
std::expected<std::optional<std::string>, ProtocolError> claimed_version(const Request& request);

// What the request may be answered with a question for: its own envelope says so.
tool::Asks claimed_asks(const JsonObject& params);

// The level from which on the request wants log messages; none without one.
std::optional<tool::LogLevel> claimed_log_level(const JsonObject& params);

// `_meta["io.helve/idempotencyKey"]`, 1 to 256 bytes; empty if there is none.
std::expected<std::string, ProtocolError> idempotency_key(const JsonObject& params);

// `_meta.progressToken`; null if there is none.
std::expected<std::optional<Json>, ProtocolError> progress_token(const JsonObject& params);

}  // namespace helve::mcp
