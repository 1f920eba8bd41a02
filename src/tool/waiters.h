// tool/waiters.h
//
// Who wants to be told once that something has happened. Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "base/time.h"

namespace helve::tool {

// Called once, unless whoever holds it lets go of it before.
using Wake = std::shared_ptr<std::function<void()>>;

class Waiters {
 public:
  void add(const Wake& wake);
  void wake_all();

 private:
  std::vector<std::weak_ptr<std::function<void()>>> waiting_;
};

// Until they are woken, or it is `latest`.
boost::asio::awaitable<void> wait_for(Waiters& waiters, Clock::time_point latest);

}  // namespace helve::tool
