#include "diff/diff.h"

#include <gtest/gtest.h>

#include <random>

#include "diff/lines.h"

namespace helve::diff {
namespace {

// `before` with the changes made, their lines taken from `after`.
std::string applied(std::string_view before, std::string_view after, const LineDiff& diff) {
  const auto old_lines = lines_of(before), new_lines = lines_of(after);
  std::string out;
  std::size_t at = 0;
  for (const LineChange& change : diff.changes) {
    for (; at < change.before; ++at) out += old_lines[at];
    for (std::size_t i = 0; i < change.added; ++i) out += new_lines[change.after + i];
    at += change.removed;
  }
  for (; at < old_lines.size(); ++at) out += old_lines[at];
  return out;
}

struct Case {
  const char* name;
  const char *before, *after, *want;
};

constexpr Case kCases[] = {
    {"equal texts differ in nothing", "a\nb\n", "a\nb\n", ""},
    {"one line", "a\nb\nc\n", "a\nX\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+X\n c\n"},
    {"from nothing", "", "a\n", "@@ -0,0 +1,1 @@\n+a\n"},
    {"to nothing", "a\n", "", "@@ -1,1 +0,0 @@\n-a\n"},
    {"three lines of context", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n",
     "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n"},
    {"changes apart are two hunks", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "A\n1\n2\n3\n4\n5\n6\n7\nB\n",
     "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n"},
    {"a missing newline at the end is said", "a", "a\n",
     "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
    {"a CR is shown where it is what differs", "a\r\nb\n", "a\nb\n",
     "@@ -1,2 +1,2 @@\n-a^M\n+a\n b\n"},
    {"and nowhere else", "a\r\nb\r\n", "X\r\nb\r\n", "@@ -1,2 +1,2 @@\n-a\n+X\n b\n"},
};

TEST(Diff, ShowsWhatDiffersByLines) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(unified_diff(c.before, c.after), c.want);
  }
}

TEST(Diff, CountsTheFewestLines) {
  const LineDiff diff = diff_lines("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n");
  EXPECT_TRUE(diff.least);
  EXPECT_EQ(diff.removed + diff.added, 5U);
}

TEST(Diff, LeadsFromAnyTextToAnyOther) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string texts[2];
    for (std::string& text : texts) {
      for (unsigned lines = random() % 30; lines > 0; --lines) {
        text += static_cast<char>('a' + random() % 5);
        if (lines > 1 || random() % 2 == 0) text += '\n';
      }
    }
    const LineDiff diff = diff_lines(texts[0], texts[1]);
    ASSERT_EQ(applied(texts[0], texts[1], diff), texts[1]) << texts[0] << "---\n" << texts[1];
    ASSERT_EQ(count_lines(texts[0]) - diff.removed + diff.added, count_lines(texts[1]));
  }
}

TEST(Diff, IsBoundedInWork) {
  std::mt19937 random(1);
  std::string before, after;
  for (int i = 0; i < 100'000; ++i) {
    before += std::to_string(random() % 1000) + '\n';
    after += std::to_string(random() % 1000) + '\n';
  }
  const LineDiff diff = diff_lines("head\n" + before + "tail\n", "head\n" + after + "tail\n");
  EXPECT_FALSE(diff.least);
  EXPECT_EQ(applied("head\n" + before + "tail\n", "head\n" + after + "tail\n", diff),
            "head\n" + after + "tail\n");
}

TEST(Diff, WS89IsBoundedInSize) {
  std::string before, after;
  for (int i = 0; i < 1000; ++i) {
    before += "old " + std::to_string(i) + "\nsame\nsame\nsame\nsame\nsame\nsame\nsame\n";
    after += "new " + std::to_string(i) + "\nsame\nsame\nsame\nsame\nsame\nsame\nsame\n";
  }
  const std::string text = unified_diff(before, after);
  EXPECT_LE(text.size(), kDiffBytes + 100);
  EXPECT_TRUE(text.contains("+new 0\n"));
  EXPECT_TRUE(text.contains("changes not shown whole: ")) << text;
  const std::string one = unified_diff(std::string(100'000, 'a'), std::string(100'000, 'b') + "\n");
  EXPECT_LE(one.size(), 1000U) << "a long line is cut";
}

TEST(Diff, ShowsTheDifferenceOfLongLines) {
  const std::string head(50'000, 'h'), tail(50'000, 't');
  const std::string text = unified_diff(head + "OLD" + tail, head + "NEW" + tail);
  EXPECT_TRUE(text.contains("hOLDt") && text.contains("hNEWt")) << text;
  EXPECT_LE(text.size(), 1000U);
}

}  // namespace
}  // namespace helve::diff
