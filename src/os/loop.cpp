#include "os/loop.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace helve::os {

struct Loop::Pool {
  boost::asio::thread_pool threads{2};
};

Loop::Loop() = default;
Loop::~Loop() = default;

void Loop::spawn(boost::asio::awaitable<void> work) {
  boost::asio::co_spawn(context_, std::move(work), [](std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
  });
}

void Loop::spawn(std::function<boost::asio::awaitable<void>()> work) {
  boost::asio::co_spawn(context_, std::move(work), [](std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
  });
}

void Loop::run() { context_.run(); }
void Loop::stop() { context_.stop(); }

boost::asio::awaitable<void> Loop::on_pool(std::function<void()> work) {
  if (!pool_) pool_ = std::make_unique<Pool>();
  co_await boost::asio::co_spawn(
      pool_->threads,
      [work = std::move(work)]() -> boost::asio::awaitable<void> {
        work();
        co_return;
      },
      boost::asio::use_awaitable);
}

boost::asio::awaitable<void> Loop::sleep(Duration duration) {
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor);
  timer.expires_after(duration);
  co_await timer.async_wait(boost::asio::use_awaitable);
}

}  // namespace helve::os
