#include "base/ids.h"

#include <gtest/gtest.h>

#include <set>

#include "base/hash.h"

namespace helve {
namespace {

TEST(Ids, AHandleIsItsPrefixAnd16HexDigits) {
  const std::string handle = new_handle("run");
  ASSERT_EQ(handle.size(), 20U);
  EXPECT_TRUE(handle.starts_with("run_"));
  EXPECT_EQ(handle.find_first_not_of("0123456789abcdef", 4), std::string::npos);
}

TEST(Ids, NoTwoAreAlike) {
  std::set<std::string> met;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(met.insert(new_handle("x")).second);
}

TEST(Ids, LargeRequestsAreFilledToTheEnd) {
  const std::string digits = random_hex(100'000);
  EXPECT_EQ(digits.size(), 200'000U);
  EXPECT_NE(digits.substr(199'900), std::string(100, '0'));
}

TEST(Hash, KnowsTheExamplesOfFips180) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex("\x0F\xA0"), "0fa0");
}

}  // namespace
}  // namespace helve
