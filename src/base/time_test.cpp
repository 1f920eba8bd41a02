#include "base/time.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

using namespace std::chrono_literals;

struct Instant {
  long long ms;
  const char* want;
};

constexpr Instant kInstants[] = {
    {0, "1970-01-01T00:00:00.000Z"},
    {1'796'035'707'123, "2026-11-30T10:48:27.123Z"},
    {951'782'400'000, "2000-02-29T00:00:00.000Z"},
    {-1, "1969-12-31T23:59:59.999Z"},
};

TEST(Time, WritesUtc) {
  for (const Instant& c : kInstants) {
    EXPECT_EQ(utc_text(WallClock::time_point(std::chrono::milliseconds(c.ms))), c.want);
  }
}

struct Length {
  Duration duration;
  const char* want;
};

constexpr Length kLengths[] = {
    {1'400us, "1.4 ms"},  {12ms, "12 ms"},        {999ms, "999 ms"},  {1'400ms, "1.4 s"},
    {59'900ms, "59.9 s"}, {59'990ms, "1 m 00 s"}, {125s, "2 m 05 s"}, {3'725s, "1 h 02 m"},
};

TEST(Time, WritesDurationsForPeople) {
  for (const Length& c : kLengths) EXPECT_EQ(duration_text(c.duration), c.want);
}

struct Size {
  unsigned long long bytes;
  const char* want;
};

constexpr Size kSizes[] = {
    {0, "0 B"},
    {812, "812 B"},
    {1023, "1023 B"},
    {1024, "1.0 KiB"},
    {1229, "1.2 KiB"},
    {67'108'864, "64 MiB"},
    {1'048'200, "1.0 MiB"},
    {1'047'552, "1023 KiB"},
    {1'099'511'627'776, "1.0 TiB"},
};

TEST(Time, WritesSizesForPeople) {
  for (const Size& c : kSizes) EXPECT_EQ(bytes_text(c.bytes), c.want);
}

}  // namespace
}  // namespace helve
