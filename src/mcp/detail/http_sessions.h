// mcp/detail/http_sessions.h
//
// The sessions of the HTTP face: one for each Mcp-Session-Id of the handshake revisions, and one
// for each principal of the modern one (decisions, section 1). How long they last is decided in
// tool/sessions.h. Nothing of them outlives the process (R3). Loop thread only.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "mcp/detail/http_push.h"

namespace helve::mcp {

struct HttpSession {
  std::string id, principal;
  std::shared_ptr<Peer> peer;
  std::shared_ptr<PushSink> push;
  std::shared_ptr<Replay> replay;  // null before 2025-11-25
};

class HttpSessions {
 public:
  HttpSessions(std::shared_ptr<HttpShared> shared, tool::Sessions& sessions)
      : shared_(std::move(shared)), sessions_(sessions) {}

  // A session for a handshake, which keep() makes known once the handshake is done.
  // Refused: session.too_many {limit}.
  Result<std::shared_ptr<HttpSession>> make(const std::string& principal);
  void keep(const std::shared_ptr<HttpSession>& session);

  // Null for an unknown id, one that has ended, and another principal's.
  std::shared_ptr<HttpSession> find(std::string_view id, std::string_view principal);
  void close(const std::shared_ptr<HttpSession>& session);

  // The principal's own, in the modern revision. Refused: session.too_many {limit}.
  Result<std::shared_ptr<tool::Session>> shared_by(const std::string& principal);

  // Forgets what has ended. True if there is something left to look after.
  bool sweep(Clock::time_point now);
  void end();
  size_t count() const { return by_id_.size(); }

 private:
  void end_streams(HttpSession& session);
  void expire(Clock::time_point now);

  std::shared_ptr<HttpShared> shared_;
  tool::Sessions& sessions_;
  std::unordered_map<std::string, std::shared_ptr<HttpSession>> by_id_;
  std::unordered_map<std::string, std::shared_ptr<tool::Session>> by_principal_;
  Clock::time_point expired_ = Clock::now();
};

}  // namespace helve::mcp
