#include <gtest/gtest.h>

#include "base/text.h"
#include "tool/detail/bound.h"
#include "tool/testing/run.h"

namespace helve::tool {
namespace {

constexpr size_t kLimit = 2000;

std::string repeated(std::string_view part, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += part;
  return out;
}

size_t utf16_units(std::string_view text) {
  size_t units = 0;
  for (size_t at = 0; at < text.size();) units += next_code_point(text, at) > 0xFFFF ? 2 : 1;
  return units;
}

struct SizeCase {
  const char *name, *text;
  size_t size;
};
const SizeCase kSizes[] = {
    {"letters", "abc", 3},
    {"what has a short escape", "\"\\\n\r\t\b\f", 14},
    {"other control characters", "\x01\x7F", 12},
    {"a letter of two bytes", "\xC3\xA4", 1},
    {"a character of four bytes is a surrogate pair", "\xF0\x9F\x98\x80", 2},
    {"what is not UTF-8", "\xFF", 1},
};

TEST(Bound, R4CountsWhatTheEncodingTakes) {
  for (const SizeCase& c : kSizes) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(encoded_size(c.text), c.size);
    std::string encoded;
    append_json_string(encoded, c.text);
    EXPECT_EQ(utf16_units(encoded), c.size + 2);
  }
}

const SizeCase kTexts[] = {
    {"letters", "x", 0},
    {"escapes", "\"", 0},
    {"control characters", "\x01", 0},
    {"umlauts", "\xC3\xA4", 0},
    {"emoji", "\xF0\x9F\x98\x80", 0},
    {"a mixture", "a\n\xE2\x82\xAC", 0},
};

TEST(Bound, R4CutsToTheLimitAtACharacterAndSaysHowToGetTheRest) {
  SCOPED_TRACE("WS-9: one cap for every answer (decisions, section 4)");
  for (const SizeCase& c : kTexts) {
    SCOPED_TRACE(c.name);
    Tool tool = testing::constant("t", Answer{});
    tool.rest_hint = "read on with offset";
    const auto cut = bound({.text = repeated(c.text, 5000)}, tool, kLimit);
    ASSERT_TRUE(cut);
    EXPECT_LE(encoded_size(*cut), kLimit);
    EXPECT_GE(encoded_size(*cut), kLimit - 16) << "no more is cut than has to be";
    EXPECT_TRUE(is_utf8(cut->text));
    EXPECT_NE(cut->text.find("read on with offset]"), std::string::npos);
  }
}

TEST(Bound, R4LeavesAnAnswerThatFitsAlone) {
  const Answer fits{.text = std::string(kLimit - 512, 'x')};
  const auto same = bound(fits, testing::constant("t", Answer{}), kLimit);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->text, fits.text);
}

TEST(Bound, R4CountsTextAndStructuredPartTogetherAndPrefersALink) {
  Answer answer{.text = std::string(1000, 'x'), .structured = Json(std::string(1000, 'y'))};
  answer.links.push_back({"helve://runs/1", "report", "text/plain"});
  const auto cut = bound(answer, testing::constant("t", Answer{}), kLimit);
  ASSERT_TRUE(cut);
  EXPECT_LE(encoded_size(*cut), kLimit);
  EXPECT_EQ(cut->structured, answer.structured);
  EXPECT_NE(cut->text.find("the rest is at helve://runs/1]"), std::string::npos);
}

TEST(Bound, R4RefusesWhatCuttingTheTextCannotHelp) {
  const auto refused = bound({.structured = Json(std::string(kLimit, 'y'))},
                             testing::constant("t", Answer{}), kLimit);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().rule, "tool.answer_too_large");
}

TEST(Bound, R4LeavesImagesOut) {
  Answer answer{.text = "see"};
  answer.blocks.push_back(JsonObject{{"type", "image"}, {"data", std::string(kLimit, 'A')}});
  EXPECT_TRUE(bound(answer, testing::constant("t", Answer{}), kLimit));
}

}  // namespace
}  // namespace helve::tool
