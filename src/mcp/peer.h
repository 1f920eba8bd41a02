// mcp/peer.h
//
// What the server remembers of one client: its session, the revision of its handshake, and its
// requests under way. Nothing of it is needed by a modern request. Loop thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/time.h"
#include "mcp/sink.h"
#include "tool/session.h"

namespace helve::mcp {

struct Running;  // mcp/detail/running.h
class Ticker;    // mcp/detail/ticker.h

class Peer : public std::enable_shared_from_this<Peer> {
 public:
  Peer(boost::asio::any_io_executor executor, std::shared_ptr<tool::Session> session);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  tool::Session& session() { return *session_; }
  const boost::asio::any_io_executor& executor() const { return executor_; }

  // Cancels every call with `grace` and ends every subscription. No call is answered after it.
  void end(Duration grace);

  // Runs once no call is open any more; at once if that is so already.
  void when_idle(std::function<void()> react);

  std::string revision;  // of the handshake; empty before `initialize`

 private:
  friend class Requests;
  boost::asio::any_io_executor executor_;
  std::shared_ptr<tool::Session> session_;
  std::unordered_map<std::string, std::shared_ptr<Running>> running_;  // by the JSON text of the id
  std::function<void()> idle_;
  std::unique_ptr<Ticker> ticker_;
};

}  // namespace helve::mcp
