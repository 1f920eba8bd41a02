#include "tool/waiters.h"

#include <utility>

#include "os/waiting.h"

namespace helve::tool {

void Waiters::add(const Wake& wake) {
  std::erase_if(waiting_, [](const auto& each) { return each.expired(); });
  waiting_.push_back(wake);
}

void Waiters::wake_all() {
  for (const auto& each : std::exchange(waiting_, {})) {
    if (const Wake wake = each.lock()) (*wake)();
  }
}

boost::asio::awaitable<void> wait_for(Waiters& waiters, Clock::time_point latest) {
  const auto wake = std::make_shared<std::function<void()>>();
  co_await os::wait_until(
      [&](const std::function<void()>& react) {
        *wake = react;
        waiters.add(wake);
      },
      latest);
}

}  // namespace helve::tool
