// mcp/detail/http_requests.h
//
// One request over HTTP after the other: whose it is, which era and session it belongs to, and who
// answers it. What is wrong with its head was refused before (mcp/detail/http_admission.h). Loop
// thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mcp/detail/http_marks.h"
#include "mcp/detail/http_route.h"
#include "mcp/detail/http_sessions.h"

namespace helve::mcp {

class HttpRequests {
 public:
  using SharedExchange = std::shared_ptr<http::Exchange>;

  HttpRequests(std::shared_ptr<HttpShared> shared, tool::Sessions& sessions);
  ~HttpRequests();
  HttpRequests(const HttpRequests&) = delete;
  HttpRequests& operator=(const HttpRequests&) = delete;

  void handle(SharedExchange exchange);
  void let_go();
  void end();

  const HttpShared& shared() const { return *shared_; }
  size_t sessions() const { return sessions_.count(); }

 private:
  using Found = std::expected<std::shared_ptr<HttpSession>, http::Response>;

  // With POST: see http_requests.cpp.
  void post(SharedExchange exchange, const std::string& principal);
  void initialize(SharedExchange exchange, const std::string& principal, Request request,
                  size_t bytes);
  void in_session(SharedExchange exchange, const std::string& principal, Routed routed,
                  size_t bytes);
  void modern(SharedExchange exchange, const std::string& principal, Message message, size_t bytes);
  std::optional<http::Response> refuse_modern(const http::Request& http, const Request& request,
                                              const Accepted& accepted);

  // About sessions: see http_streams.cpp. The answer of find_session() is to `id`.
  Found find_session(const http::Request& request, const std::string& principal, const Json& id);
  void get(SharedExchange exchange, const std::string& principal);
  void come_back(SharedExchange exchange, HttpSession& session, std::string_view id);
  void remove(SharedExchange exchange, const std::string& principal);

  std::shared_ptr<HttpShared> shared_;
  HttpSessions sessions_;
  ParamMarks marks_;
};

}  // namespace helve::mcp
