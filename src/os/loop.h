// os/loop.h
//
// The one event loop thread. Coroutines run on it; what blocks runs on a small pool and comes back.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

#include "base/time.h"

namespace helve::os {

class Loop {
 public:
  Loop();
  ~Loop();

  boost::asio::io_context& context() { return context_; }
  boost::asio::io_context::executor_type executor() { return context_.get_executor(); }

  // Starts a coroutine that nobody waits for; an exception out of it is our own bug.
  void spawn(boost::asio::awaitable<void> work);
  // The same for a lambda that captures: it is kept until its coroutine has ended. Never pass a
  // capturing lambda's result instead: its captures would be gone when the coroutine goes on.
  void spawn(std::function<boost::asio::awaitable<void>()> work);

  // Runs until stop() or until nothing is left to do.
  void run();
  void stop();

  // Runs `work` on the pool (made on first use, two threads), then resumes on the loop.
  boost::asio::awaitable<void> on_pool(std::function<void()> work);

  static boost::asio::awaitable<void> sleep(Duration duration);

 private:
  struct Pool;
  boost::asio::io_context context_{1};
  std::unique_ptr<Pool> pool_;
};

}  // namespace helve::os
