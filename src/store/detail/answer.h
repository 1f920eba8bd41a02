// store/detail/answer.h
//
// The way from the loop to a thread that does the work, and back: a coroutine waits for a `Done`
// that any thread may call, once. It has to be called in the end, also when all is being closed.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/refusal.h"
#include "os/loop.h"

namespace helve::store {

using Done = std::move_only_function<void(Result<void>)>;

// `start` hands its Done to a thread; the coroutine goes on, on the loop, once that was called.
inline boost::asio::awaitable<Result<void>> answered(os::Loop& loop,
                                                     std::move_only_function<void(Done)> start) {
  co_return co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>&,
                                                 void(Result<void>)>(
      [&loop, start = std::move(start)](auto handler) mutable {
        // The guard keeps the loop running meanwhile.
        start([handler = std::move(handler),
               guard = boost::asio::make_work_guard(loop.context())](Result<void> outcome) mutable {
          const auto executor = guard.get_executor();
          boost::asio::post(executor, [handler = std::move(handler), guard = std::move(guard),
                                       outcome = std::move(outcome)]() mutable {
            std::move(handler)(std::move(outcome));
          });
        });
      },
      boost::asio::use_awaitable);
}

// Something with threads that answer to the loop.
class Closable {
 public:
  virtual ~Closable() = default;
  // Calls each Done that is still owed, and ends the threads. Loop thread; may be called twice.
  virtual void close() = 0;
};

// Closes what is still open when the loop's context goes, before the context cannot be posted to
// any more: a coroutine that waits for a Done may be the last owner of what it waits for.
class CloseWithLoop : public boost::asio::execution_context::service {
 public:
  using key_type = CloseWithLoop;
  inline static boost::asio::execution_context::id id;

  explicit CloseWithLoop(boost::asio::execution_context& context) : service(context) {}
  static void add(os::Loop& loop, std::weak_ptr<Closable> closable) {
    auto& all = boost::asio::use_service<CloseWithLoop>(
                    static_cast<boost::asio::execution_context&>(loop.context()))
                    .all_;
    std::erase_if(all, [](const auto& each) { return each.expired(); });
    all.push_back(std::move(closable));
  }

 private:
  void shutdown() override {
    for (const auto& each : std::exchange(all_, {})) {
      if (const auto closable = each.lock()) closable->close();
    }
  }
  std::vector<std::weak_ptr<Closable>> all_;
};

}  // namespace helve::store
