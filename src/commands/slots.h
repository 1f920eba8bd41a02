// commands/slots.h
//
// So many processes at once, the rest waits in line: `--jobs`. Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>

#include "commands/stop.h"

namespace helve::commands {

class Slots {
 public:
  explicit Slots(size_t count) : free_(count) {}

  // Waits for a slot, or for the stop: false means that there is none and the stop was requested.
  boost::asio::awaitable<bool> acquire(Stop& stop);
  void release();

 private:
  size_t free_;
  std::deque<boost::asio::steady_timer*> waiting_;
};

}  // namespace helve::commands
