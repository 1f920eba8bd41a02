#include "mcp/detail/http_reply.h"

#include <algorithm>

#include "mcp/detail/event_stream.h"
#include "mcp/detail/fields.h"

namespace helve::mcp {
namespace {

// Origins are admitted before anything is answered, so the one that is there is an allowed one;
// but refusals of an origin come this way too, and then a 403 says nothing to its page.
void add_shared(const http::Request& request, http::Response& response) {
  response.headers.add("Vary", "Origin");
  const Field origin = find_field(request.headers, "Origin");
  if (origin.count != 1 || response.status == 403) return;
  response.headers.add("Access-Control-Allow-Origin", std::string(origin.value));
  response.headers.add("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate");
}

// The headers that a browser asks for, if they are names; a page may send what it likes, since
// everything that matters is checked when it comes.
std::string asked_headers(const http::Request& request) {
  const Field asked = find_field(request.headers, "Access-Control-Request-Headers");
  const auto names = split_field(asked.value, ',');
  if (asked.count == 1 && std::ranges::all_of(names, is_token)) return std::string(asked.value);
  return "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, "
         "MCP-Protocol-Version, Mcp-Method, Mcp-Name";
}

}  // namespace

http::Response empty_reply(const http::Request& request, unsigned status) {
  http::Response response{.status = status};
  add_shared(request, response);
  return response;
}

http::Response json_reply(const http::Request& request, unsigned status, std::string body) {
  http::Response response{.status = status, .body = std::move(body)};
  response.headers.add("Content-Type", std::string(kJsonType));
  add_shared(request, response);
  return response;
}

http::Response error_reply(const http::Request& request, unsigned status, const Json& id,
                           const ProtocolError& error) {
  return json_reply(request, status, encode_error(id, error));
}

http::Response stream_reply(const http::Request& request) {
  http::Response response;
  response.headers.add("Content-Type", std::string(kEventStream));
  response.headers.add("Cache-Control", "no-cache, no-transform");
  response.headers.add("X-Accel-Buffering", "no");  // nginx would hold events back
  add_shared(request, response);
  return response;
}

http::Response refusal_reply(const http::Request& request, unsigned status, Refusal why) {
  return error_reply(request, status, nullptr, {ErrorCode::kInvalidRequest, std::move(why)});
}

bool is_preflight(const http::Request& request) {
  return request.method == "OPTIONS" && request.headers.find("Origin") &&
         request.headers.find("Access-Control-Request-Method");
}

http::Response preflight_reply(const http::Request& request) {
  http::Response response = empty_reply(request, 204);
  response.headers.add("Access-Control-Allow-Methods", "GET, POST, DELETE");
  response.headers.add("Access-Control-Allow-Headers", asked_headers(request));
  response.headers.add("Access-Control-Max-Age", "7200");
  return response;
}

unsigned status_of(int error_code, bool modern, bool listening) {
  if (error_code == 0) return 200;
  if (!modern) return error_code == static_cast<int>(ErrorCode::kInvalidRequest) ? 400 : 200;
  switch (static_cast<ErrorCode>(error_code)) {
    case ErrorCode::kMethodUnknown:
      return 404;
    case ErrorCode::kInvalidParams:  // a broken envelope never comes as far as the core
    case ErrorCode::kResourceMissing:
      return 200;
    case ErrorCode::kInternal:
      return listening ? 503 : 500;
    default:
      return 400;
  }
}

}  // namespace helve::mcp
