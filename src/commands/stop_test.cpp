#include "commands/stop.h"

#include <gtest/gtest.h>

namespace helve::commands {
namespace {

using std::chrono::seconds;

TEST(Stop, ReachesEveryoneBelowAndNobodyAbove) {
  Stop run;
  Stop group(run);
  Stop inner(group);
  Stop sibling(run);
  group.request(seconds(5));
  EXPECT_FALSE(run.requested());
  EXPECT_FALSE(sibling.requested());
  EXPECT_TRUE(inner.requested());
  EXPECT_EQ(inner.grace(), seconds(5));
}

TEST(Stop, ASecondRequestCanOnlyShortenTheGrace) {
  Stop stop;
  std::vector<Duration> told;
  const Stop::Listener listener(stop, [&](Duration grace) { told.push_back(grace); });
  stop.request(seconds(2));
  stop.request(seconds(5));
  stop.request(seconds(1));
  EXPECT_EQ(told, (std::vector<Duration>{seconds(2), seconds(1)}));
}

TEST(Stop, TellsAListenerThatComesLate) {
  Stop stop;
  stop.request(seconds(1));
  bool told = false;
  const Stop::Listener listener(stop, [&](Duration) { told = true; });
  EXPECT_TRUE(told);
}

TEST(Stop, AListenerMayEndAnotherWhileItReacts) {
  Stop stop;
  int told = 0;
  std::optional<Stop::Listener> second;
  const Stop::Listener first(stop, [&](Duration) { second.reset(); });
  second.emplace(stop, [&](Duration) { ++told; });
  stop.request(seconds(1));
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace helve::commands
