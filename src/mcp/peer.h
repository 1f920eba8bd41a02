// mcp/peer.h
//
// One scope of request ids, and what is known of the client behind it: what its handshake said, its
// requests under way, ours to it. A pipe has one, HTTP one per Mcp-Session-Id, and with the modern
// revision one per request: making one is cheap. Many may share a tool::Session. Loop thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "base/time.h"
#include "mcp/sink.h"
#include "tool/session.h"
#include "tool/tool.h"

namespace helve::mcp {

class Hub;        // mcp/detail/hub.h
struct Running;   // mcp/detail/running.h
struct Question;  // mcp/detail/questions.h
class Ticker;     // mcp/detail/ticker.h

class Peer : public std::enable_shared_from_this<Peer> {
 public:
  Peer(std::shared_ptr<Hub> hub, boost::asio::any_io_executor executor,
       std::shared_ptr<tool::Session> session);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  const std::shared_ptr<tool::Session>& session() const { return session_; }
  const boost::asio::any_io_executor& executor() const { return executor_; }
  bool idle() const { return running_.empty(); }  // no request is under way

  // Cancels every call with `grace`, with what it asked of the client, and ends every subscription
  // with its empty result. No call is answered after it. The session goes on.
  void end(Duration grace);

  // Where messages go that belong to no request: list changes of the handshake revisions. None:
  // they are lost. A pipe's own sink, or the GET stream of an HTTP session.
  std::shared_ptr<Sink> push;

  // What the handshake and what followed it said; a modern request says all that by itself.
  std::string revision;  // empty before `initialize`
  tool::Asks can_ask;
  tool::LogLevel log_level = tool::LogLevel::kInfo;
  std::set<std::string, std::less<>> subscribed;  // URIs of resources

 private:
  friend class Hub;
  friend class Questions;
  friend class Requests;
  std::shared_ptr<Hub> hub_;
  boost::asio::any_io_executor executor_;
  std::shared_ptr<tool::Session> session_;
  std::unordered_map<std::string, std::shared_ptr<Running>> running_;  // by the JSON text of the id
  std::unordered_map<std::string, Question*> questions_;               // by our id
  std::uint64_t asked_ = 0;                                            // questions so far
  std::unique_ptr<Ticker> ticker_;
  bool joined_ = false;  // the hub tells it of changes
  bool ended_ = false;
};

}  // namespace helve::mcp
