#include "tool/waiters.h"

#include <utility>

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

}  // namespace helve::tool
