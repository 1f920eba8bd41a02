#include "commands/slots.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace helve::commands {

namespace asio = boost::asio;

asio::awaitable<bool> Slots::acquire(Stop& stop) {
  if (stop.requested()) co_return false;
  if (free_ > 0 && waiting_.empty()) {
    --free_;
    co_return true;
  }
  asio::steady_timer turn(co_await asio::this_coro::executor, Clock::time_point::max());
  waiting_.push_back(&turn);
  const Stop::Listener wake(stop, [&](Duration) { turn.cancel(); });
  while (!stop.requested() &&
         std::find(waiting_.begin(), waiting_.end(), &turn) != waiting_.end()) {
    co_await turn.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  const auto place = std::find(waiting_.begin(), waiting_.end(), &turn);
  if (place == waiting_.end()) co_return true;  // release() handed its slot over
  waiting_.erase(place);
  co_return false;
}

void Slots::release() {
  if (waiting_.empty()) {
    ++free_;
    return;
  }
  asio::steady_timer* next = waiting_.front();
  waiting_.pop_front();
  next->cancel();
}

}  // namespace helve::commands
