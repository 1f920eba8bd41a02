// mcp/detail/link.h
//
// One client on a pair of channels: reads lines, hands them to the server, and ends once. Loop
// thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "mcp/detail/line_sink.h"
#include "mcp/detail/lines.h"
#include "mcp/server.h"

namespace helve::mcp {

class Link : public std::enable_shared_from_this<Link> {
 public:
  Link(os::Loop& loop, Server& server, std::shared_ptr<tool::Session> session, Channel in,
       Channel out);

  // Serves until end() or until the client is gone; then cancels the open calls, gives them 0.5 s,
  // writes what can still be written, and returns within 1 s.
  boost::asio::awaitable<void> serve();

  void end();  // idempotent

 private:
  void read_later();
  void read_now();
  void proceed();
  bool take_lines();
  void take(const Line& line);
  void proceed_when_drained();
  void watch_hang_up();

  os::Loop& loop_;
  Server& server_;
  std::shared_ptr<Peer> peer_;
  std::shared_ptr<LineSink> sink_;
  os::Watch in_;
  Channel::Way way_;
  Lines lines_;
  boost::asio::steady_timer ended_;  // cancelled by end()
  boost::asio::steady_timer hang_up_;
  bool open_ = true, at_end_ = false, blocked_ = false;
};

}  // namespace helve::mcp
