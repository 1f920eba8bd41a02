// os/signals.h
//
// Signals as something to wait for. Nothing runs in a signal handler; the loop delivers. While a
// Signals lives, its signals no longer do what they did by default. Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/signal_set.hpp>
#include <initializer_list>

#include "os/loop.h"

namespace helve::os {

// Writing to a closed pipe or over a file limit is then an error of the call, not the end of the
// host. Children get the default back. Once, at the start; any thread.
void ignore_sigpipe();

class Signals {
 public:
  Signals(Loop& loop, std::initializer_list<int> numbers);

  // The next signal that came, also one from before the call. 0 after close().
  boost::asio::awaitable<int> next();
  void close();

 private:
  boost::asio::signal_set set_;
};

}  // namespace helve::os
