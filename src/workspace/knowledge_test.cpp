#include "workspace/knowledge.h"

#include <gtest/gtest.h>

namespace helve::workspace {
namespace {

TEST(Knowledge, Ws75KeepsWhatWasSeenLast) {
  SCOPED_TRACE("WS-75");
  Knowledge knowledge;
  EXPECT_EQ(knowledge.find("/a"), nullptr);
  knowledge.saw("/a", {.version = "1", .whole = true, .bytes = "old"});
  knowledge.saw("/a", {.version = "2", .first_line = 3, .last_line = 4, .bytes = "new"});
  const Seen* seen = knowledge.find("/a");
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen->version, "2");
  EXPECT_FALSE(seen->whole);
  EXPECT_EQ(seen->last_line, 4U);
  EXPECT_EQ(seen->bytes, "new");
}

TEST(Knowledge, Ws75ForgetsTheLongestUnusedFile) {
  SCOPED_TRACE("WS-75");
  Knowledge knowledge;
  for (std::size_t i = 0; i < Knowledge::kMostFiles; ++i) {
    knowledge.saw("/" + std::to_string(i), {.version = "1"});
  }
  ASSERT_NE(knowledge.find("/0"), nullptr);  // used, so that /1 is the oldest now
  knowledge.saw("/one more", {.version = "1"});
  EXPECT_NE(knowledge.find("/0"), nullptr);
  EXPECT_EQ(knowledge.find("/1"), nullptr);
  EXPECT_NE(knowledge.find("/2"), nullptr);
}

TEST(Knowledge, Ws75BytesAreKeptWithinBounds) {
  SCOPED_TRACE("WS-75");
  Knowledge knowledge;
  knowledge.saw("/large", {.bytes = std::string(Knowledge::kMostBytesOfFile + 1, 'x')});
  EXPECT_FALSE(knowledge.find("/large")->bytes);

  const std::string most(Knowledge::kMostBytesOfFile, 'x');
  const std::size_t fit = Knowledge::kMostBytes / most.size();
  for (std::size_t i = 0; i <= fit; ++i) {
    knowledge.saw("/" + std::to_string(i), {.version = "1", .bytes = most});
  }
  EXPECT_FALSE(knowledge.find("/0")->bytes);
  EXPECT_EQ(knowledge.find("/0")->version, "1");
  EXPECT_TRUE(knowledge.find("/1")->bytes);
  EXPECT_TRUE(knowledge.find("/" + std::to_string(fit))->bytes);
}

}  // namespace
}  // namespace helve::workspace
