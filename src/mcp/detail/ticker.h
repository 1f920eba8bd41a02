// mcp/detail/ticker.h
//
// Progress of the calls that asked for it. One timer for all calls of a client, and none while no
// such call is open: the first word comes within 5 s, the next ones within 10 s each (R6), whatever
// the tool says. Loop thread only.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <vector>

#include "mcp/detail/running.h"

namespace helve::mcp {

// Sends what a tool reports. The value always grows, as the protocol wants it, and is left out
// while the client does not keep up. Nothing after the answer.
void send_progress(Running& running, const tool::Progress& progress);

// True if the call must be heard of now.
bool progress_is_due(const Running& running, Clock::time_point now);

class Ticker {
 public:
  explicit Ticker(const boost::asio::any_io_executor& executor) : timer_(executor) {}

  void watch(const std::shared_ptr<Running>& running);

 private:
  void arm();
  void tick();

  boost::asio::steady_timer timer_;
  std::vector<std::weak_ptr<Running>> watched_;
  bool armed_ = false;
};

}  // namespace helve::mcp
