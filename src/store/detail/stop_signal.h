// store/detail/stop_signal.h
//
// "Stop now", for threads that wait for sockets. Set once, seen by all who wait. Any thread.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/check.h"
#include "base/time.h"
#include "os/fd.h"

namespace helve::store {

enum class Woken : std::uint8_t { kReady, kLate, kStopped };

class StopSignal {
 public:
  StopSignal() { HELVE_CHECK(static_cast<bool>(event_)); }

  void set() const {
    const std::uint64_t one = 1;
    HELVE_CHECK(::write(event_.get(), &one, sizeof one) == sizeof one);
  }

  // Until `fd` can do what `events` says (POLLIN, POLLOUT), or has failed. -1: no descriptor, just
  // the time.
  Woken wait(int fd, short events, Clock::time_point latest) const {
    for (;;) {
      pollfd both[] = {{event_.get(), POLLIN, 0}, {fd, events, 0}};
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(latest - Clock::now());
      const auto bounded = std::clamp<std::int64_t>(left.count(), 0, 3'600'000);
      const int ready = ::poll(both, 2, static_cast<int>(bounded));
      if (both[0].revents != 0) return Woken::kStopped;
      if (ready > 0) return Woken::kReady;
      if (ready == 0 && Clock::now() >= latest) return Woken::kLate;
      HELVE_CHECK(ready >= 0 || errno == EINTR);
    }
  }
  bool is_set() const { return wait(-1, 0, Clock::now()) == Woken::kStopped; }

 private:
  os::UniqueFd event_{::eventfd(0, EFD_CLOEXEC)};
};

}  // namespace helve::store
