// mcp/http.h
//
// The Streamable HTTP face: who may ask (R13, token), which era a request is of (its body decides,
// its headers are held against that), the sessions of the handshake revisions, and answers as plain
// JSON or as server-sent events. What a message means is the Server's, sockets are http/'s. Loop
// thread only.
//
// Answers are plain JSON. They become a stream when something comes before the answer, or when the
// answer takes longer than `keep_alive`; a client that does not accept streams goes without. A
// stream that is closed by its client cancels the request in the modern revision; in the older ones
// it does not, and with 2025-11-25 the client can come back for the rest with Last-Event-ID.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/server.h"
#include "mcp/guard.h"
#include "mcp/server.h"
#include "os/loop.h"
#include "tool/sessions.h"

namespace helve::mcp {

class HttpRequests;  // mcp/detail/http_requests.h

struct HttpOptions {
  std::string path = "/mcp";
  Guard guard;  // hosts and origins
  // Who holds this token; nullopt for nobody. Empty: no token is asked for, and all are "anyone".
  std::function<std::optional<std::string>(std::string_view bearer)> principal_of;

  // Told of each request that is turned away at the door: 401 for its token, 403 for its names.
  std::function<void(unsigned status, const http::Request& head)> refused;
  Duration keep_alive = std::chrono::seconds(15);  // the longest silence on a stream
  size_t congested_bytes = 1024 * 1024;            // unsent; beyond, progress is left out
  // What is kept of the streams of one 2025-11-25 session, for clients that come back.
  size_t kept_events = 64;
  size_t kept_bytes = 256 * 1024;
};

class HttpFace : public http::Handler {
 public:
  // Server, sessions and loop outlive the face; answers may outlive it.
  HttpFace(os::Loop& loop, Server& server, tool::Sessions& sessions, HttpOptions options);
  ~HttpFace() override;

  std::optional<http::Response> admit(const http::Request& head) override;
  void handle(std::shared_ptr<http::Exchange> exchange) override;
  http::Response refuse_broken(unsigned status, const Refusal& why) override;

  // Ends the connection of every POST that is not answered yet and whose client can come back for
  // the answer (2025-11-25). The requests go on.
  void let_go();

  // For the shutdown, before http::Server::close(): ends all streams in order, subscriptions with
  // their result, and cancels the calls with 0.5 s. What comes later is refused with 503.
  void end();

  size_t sessions() const;  // of the handshake revisions

 private:
  std::unique_ptr<HttpRequests> requests_;
};

}  // namespace helve::mcp
