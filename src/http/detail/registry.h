// http/detail/registry.h
//
// The connections of one server and what they share: the handler, the limits, the budget of bodies,
// one buffer to receive into, one timer that looks after all of them (a timer for each operation
// would cost more than the operation). Loop thread only.
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <memory>
#include <string>

#include "http/server.h"
#include "os/fd.h"
#include "os/loop.h"

namespace helve::http {

class Connection;
using Connections = std::list<std::shared_ptr<Connection>>;

class Registry : public std::enable_shared_from_this<Registry> {
 public:
  Registry(os::Loop& loop, Handler& handler, const Limits& limits);

  os::Loop& loop() { return loop_; }
  Handler& handler() { return handler_; }
  const Limits& limits() const { return limits_; }
  bool is_closing() const { return closing_; }
  size_t size() const { return idle_.size() + busy_.size(); }

  // Takes an accepted socket. With `connections` open, the one that idles longest makes room; if
  // none idles, the new one is closed.
  void add(os::UniqueFd fd, std::string remote);
  // Idle are those of which no whole head is there; the list is in the order of their turning so.
  void turn_idle(Connections::iterator place);
  void turn_busy(Connections::iterator place);
  void remove(Connections::iterator place);

  // False if all bodies being read would then take more than the budget.
  bool charge(std::uint64_t bytes);
  void release(std::uint64_t bytes);

  // What is in it is gone with the next turn of the loop.
  std::array<char, 64 * 1024>& scratch() { return scratch_; }

  void close_all();
  boost::asio::awaitable<void> close(Clock::time_point latest);

 private:
  void arm_sweep();
  void sweep();
  void close_untouched();

  os::Loop& loop_;
  Handler& handler_;
  const Limits limits_;
  const Duration period_;
  Connections idle_, busy_;
  std::uint64_t bodies_ = 0;
  bool closing_ = false;
  bool sweeping_ = false;
  boost::asio::steady_timer sweep_timer_;
  boost::asio::steady_timer empty_timer_;  // fires early when the last connection has gone
  std::array<char, 64 * 1024> scratch_;
};

}  // namespace helve::http
