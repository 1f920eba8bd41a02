// base/time.h
//
// Times as the project writes them. Durations are std::chrono; a Deadline is a point of the
// monotonic clock, so that a changed wall clock never fires a timeout.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace helve {

using Clock = std::chrono::steady_clock;
using WallClock = std::chrono::system_clock;
using Duration = std::chrono::nanoseconds;
using Deadline = std::optional<Clock::time_point>;  // nullopt: none

// "2026-11-30T10:48:27.123Z" (RFC 3339, UTC, milliseconds).
std::string utc_text(WallClock::time_point at);

// For people: "12 ms", "1.4 s", "2 m 05 s".
std::string duration_text(Duration duration);

// For people: "812 B", "1.2 KiB", "64 MiB".
std::string bytes_text(unsigned long long bytes);

}  // namespace helve
