// os/waiting.h
//
// Waits for something that calls back once, but no longer than until a point in time.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>
#include <memory>

#include "base/time.h"

namespace helve::os {

// `event` is given what to call. The callback may come at once, or after this has returned.
inline boost::asio::awaitable<void> wait_until(
    std::function<void(std::function<void()> happened)> event, Clock::time_point latest) {
  const auto timer = std::make_shared<boost::asio::steady_timer>(
      co_await boost::asio::this_coro::executor, latest);
  const auto happened = std::make_shared<bool>(false);
  event([timer, happened] {
    *happened = true;
    timer->cancel();
  });
  if (*happened) co_return;
  boost::system::error_code error;
  co_await timer->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, error));
}

}  // namespace helve::os
