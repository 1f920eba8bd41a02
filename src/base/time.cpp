#include "base/time.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace helve {
namespace {

template <typename... Values>
std::string print(const char* format, Values... values) {
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), format, values...);
  return {buffer.data(), static_cast<size_t>(length)};
}

}  // namespace

std::string utc_text(WallClock::time_point at) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch()).count();
  const std::time_t seconds =
      (ms - (ms % 1000 + 1000) % 1000) / 1000;  // rounded down, also before 1970
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return print("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", utc.tm_year + 1900, utc.tm_mon + 1,
               utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
               static_cast<int>((ms % 1000 + 1000) % 1000));
}

std::string duration_text(Duration duration) {
  const double ms = std::chrono::duration<double, std::milli>(duration).count();
  if (ms < 9.95) return print("%.1f ms", ms);
  if (ms < 999.5) return print("%.0f ms", ms);
  if (ms < 59950) return print("%.1f s", ms / 1000);
  const long seconds = static_cast<long>(ms / 1000 + 0.5);
  if (seconds < 3600) return print("%ld m %02ld s", seconds / 60, seconds % 60);
  return print("%ld h %02ld m", seconds / 3600, seconds / 60 % 60);
}

std::string bytes_text(unsigned long long bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return print("%llu B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return print(value < 9.95 ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
}

}  // namespace helve
