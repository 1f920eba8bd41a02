#include "commands/stream.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/ids.h"

namespace helve::commands {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Stream, ATailIsCutAtACharacterAndDecodedOnce) {  // CT-72
  EXPECT_EQ(tail_text("abc", 8), "abc");
  EXPECT_EQ(tail_text("a\xE2\x89\xA4"
                      "b",
                      3),
            "b")
      << "a cut character is left out";
  EXPECT_EQ(tail_text("a\xE2\x89\xA4"
                      "b",
                      4),
            "\xE2\x89\xA4"
            "b");
  EXPECT_EQ(tail_text("a\xFF"
                      "b",
                      8),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(Joiner, KeepsASmallJoinInMemory) {
  Joiner joiner(100, {});
  joiner.add("head\n");
  joiner.add(Stream::of("body"));
  const Stream joined = std::move(joiner).finish();
  EXPECT_EQ(*joined.memory, "head\nbody");
  EXPECT_TRUE(joined.complete);
}

TEST(Joiner, SpillsALargeJoinWhole) {
  const auto path = std::filesystem::temp_directory_path() / ("helve-join-" + random_hex(8));
  Joiner joiner(10, path);
  joiner.add("0123456789");
  joiner.add(Stream::of("abc"));
  joiner.add("def");
  const Stream joined = std::move(joiner).finish();
  EXPECT_EQ(joined.bytes, 16U);
  EXPECT_TRUE(joined.complete);
  EXPECT_EQ(contents(path), "0123456789abcdef");
  std::filesystem::remove(path);
}

TEST(Joiner, SaysThatAJoinWithNowhereToGoIsIncomplete) {
  Joiner joiner(10, {});
  joiner.add("0123456789abc");
  const Stream joined = std::move(joiner).finish();
  EXPECT_FALSE(joined.complete);
  EXPECT_EQ(joined.bytes, 13U);
}

}  // namespace
}  // namespace helve::commands
