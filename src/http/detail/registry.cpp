#include "http/detail/registry.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/detail/connection.h"

namespace helve::http {
namespace {

// Every time limit is kept to an eighth of the shortest, and to a second.
Duration sweep_period(const Limits& limits) {
  const Duration shortest =
      std::min({limits.header_time, limits.body_time, limits.idle_time, limits.write_time});
  return std::clamp<Duration>(shortest / 8, std::chrono::milliseconds(5), std::chrono::seconds(1));
}

}  // namespace

Registry::Registry(os::Loop& loop, Handler& handler, const Limits& limits)
    : loop_(loop),
      handler_(handler),
      limits_(limits),
      period_(sweep_period(limits)),
      sweep_timer_(loop.context()),
      empty_timer_(loop.context()) {}

void Registry::add(os::UniqueFd fd, std::string remote) {
  if (closing_) return;
  if (size() >= limits_.connections) {
    if (idle_.empty()) return;
    const std::shared_ptr<Connection> oldest = idle_.front();
    oldest->close();
  }
  auto connection =
      std::make_shared<Connection>(shared_from_this(), std::move(fd), std::move(remote));
  idle_.push_back(connection);
  connection->start(std::prev(idle_.end()));
  arm_sweep();
}

void Registry::turn_idle(Connections::iterator place) {
  idle_.splice(idle_.end(), (*place)->is_busy() ? busy_ : idle_, place);
}

void Registry::turn_busy(Connections::iterator place) {
  busy_.splice(busy_.end(), (*place)->is_busy() ? busy_ : idle_, place);
}

void Registry::remove(Connections::iterator place) {
  ((*place)->is_busy() ? busy_ : idle_).erase(place);
  if (size() > 0) return;
  sweep_timer_.cancel();
  empty_timer_.cancel();
}

bool Registry::charge(std::uint64_t bytes) {
  if (bytes > limits_.all_bodies_bytes - std::min(bodies_, limits_.all_bodies_bytes)) return false;
  bodies_ += bytes;
  return true;
}

void Registry::release(std::uint64_t bytes) { bodies_ -= bytes; }

void Registry::arm_sweep() {
  if (sweeping_) return;
  sweeping_ = true;
  sweep_timer_.expires_after(period_);
  sweep_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code&) {
    const std::shared_ptr<Registry> self = weak.lock();
    if (!self) return;
    self->sweeping_ = false;
    self->sweep();
    if (self->size() > 0) self->arm_sweep();
  });
}

void Registry::sweep() {
  const Clock::time_point now = Clock::now();
  for (Connections* all : {&idle_, &busy_}) {
    for (auto at = all->begin(); at != all->end();) {
      const std::shared_ptr<Connection> connection = *at++;
      connection->tick(now);
    }
  }
}

void Registry::close_untouched() {
  for (auto at = idle_.begin(); at != idle_.end();) {
    const std::shared_ptr<Connection> connection = *at++;
    if (connection->is_untouched()) connection->close();
  }
}

void Registry::close_all() {
  closing_ = true;
  while (size() > 0) {
    const std::shared_ptr<Connection> any = idle_.empty() ? busy_.front() : idle_.front();
    any->close();
  }
}

boost::asio::awaitable<void> Registry::close(Clock::time_point latest) {
  const std::shared_ptr<Registry> self = shared_from_this();
  closing_ = true;
  close_untouched();
  if (size() > 0) {
    boost::system::error_code ignored;
    empty_timer_.expires_at(latest);
    co_await empty_timer_.async_wait(
        boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  }
  close_all();
}

}  // namespace helve::http
