#include "mcp/detail/http_events.h"

#include <gtest/gtest.h>

namespace helve::mcp {
namespace {

using namespace std::chrono_literals;

std::string after(const EventStore& store, std::string_view id) {
  const auto place = store.read(id);
  if (!place) return "none";
  std::string out;
  for (const EventStore::Event* event : store.after(*place)) out += event->data + ' ';
  return out;
}

TEST(EventStore, GivesWhatCameAfterAnEventOfTheSameStream) {
  EventStore store(64, 1000);
  const std::string first = store.mark(1);
  const std::string a = store.add(1, "a");
  store.add(2, "x");
  const std::string b = store.add(1, "b");
  EXPECT_EQ(after(store, first), "a b ");
  EXPECT_EQ(after(store, a), "b ");
  EXPECT_EQ(after(store, b), "");
}

TEST(EventStore, KnowsItsOwnIdsOnly) {
  EventStore store(64, 1000), other(64, 1000);
  const std::string id = store.add(1, "a");
  other.add(1, "a");
  ASSERT_TRUE(store.read(id));
  EXPECT_FALSE(other.read(id));
  const std::string tag = id.substr(0, id.find('-'));
  for (const char* rest : {"", "-", "-1", "-1-", "-1-0", "-1-2", "-1-01", "-1-1-1", "-1-+1",
                           "-1--1", "-1-99999999999999999999", "- 1-1", "-x-1"}) {
    EXPECT_FALSE(store.read(tag + rest)) << rest;
  }
}

TEST(EventStore, IsBoundedInEventsAndBytes) {
  EventStore few(2, 1000);
  const std::string first = few.mark(1);
  for (const char* data : {"a", "b", "c"}) few.add(1, data);
  EXPECT_EQ(after(few, first), "b c ");

  EventStore small(64, 10);
  const std::string begin = small.mark(1);
  small.add(1, "12345");
  small.add(1, "6789");
  small.add(1, "xx");
  EXPECT_EQ(after(small, begin), "6789 xx ");
  small.add(1, "too large for it");
  EXPECT_EQ(after(small, begin), "");
  EXPECT_EQ(small.bytes(), 0U);
}

TEST(EventStore, ForgetsStreamsAndWhatIsOld) {
  EventStore store(64, 1000);
  const std::string one = store.mark(1), two = store.mark(2);
  store.add(1, "a");
  store.add(2, "b");
  store.forget(1);
  EXPECT_EQ(after(store, one), "");
  EXPECT_EQ(after(store, two), "b ");
  store.expire(Clock::now() + 1s);
  EXPECT_EQ(store.size(), 0U);
  EXPECT_EQ(store.bytes(), 0U);
}

}  // namespace
}  // namespace helve::mcp
