#include "workspace/detail/edit_diff.h"

#include <gtest/gtest.h>

#include <random>

#include "diff/diff.h"

namespace helve::workspace {
namespace {

std::string diff_of_edit(const std::string& text, const std::vector<Wish>& wishes,
                         std::vector<std::size_t>* lines = nullptr) {
  const auto matching = match(text, wishes);
  if (!matching) return "no match";
  EditDiff diff = edit_diff(text, *matching);
  if (lines != nullptr) *lines = diff.lines;
  return diff.text;
}

TEST(EditDiff, WS89IsThatOfItsTexts) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (unsigned i = 0; i < 40; ++i) text += "line " + std::to_string(i) + "\n";
    std::vector<Wish> wishes;
    for (unsigned i = 0; i < 40; ++i) {
      if (random() % 8 != 0) continue;
      const std::string line = "line " + std::to_string(i) + "\n";
      wishes.push_back({line, random() % 3 == 0 ? "" : random() % 2 == 0 ? "x\ny\n" : "z\n"});
    }
    if (wishes.empty()) continue;
    std::string after;
    const auto matching = match(text, wishes);
    ASSERT_TRUE(matching);
    for (const std::string_view piece : pieces_of(text, *matching)) after += piece;
    EXPECT_EQ(diff_of_edit(text, wishes), diff::unified_diff(text, after));
  }
}

TEST(EditDiff, WS89CountsTheLinesOfAnEditAsTheyAreAfterwards) {
  std::vector<std::size_t> lines;
  diff_of_edit("a\nb\nc\nd\n", {{"a\n", "a\na2\n"}, {"d", "D"}}, &lines);
  EXPECT_EQ(lines, (std::vector<std::size_t>{1, 5}));
}

}  // namespace
}  // namespace helve::workspace
