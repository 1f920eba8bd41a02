// What is left out of a long text, that the numbers about it are right, and where its rest is.
#include "workspace/bounded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/encoded.h"
#include "base/text.h"
#include "base/texts.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kBudget = 36'000;
const Elsewhere kKept{.path = ".helve/results/c1.txt"};

std::string numbered_lines(int count, const std::string& more = "") {
  std::string text;
  for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i) + more + '\n';
  return text;
}

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// The three parts of a bounded text. A line end before the marker that is ours belongs to it.
struct Parts {
  std::string head, marker, tail;
};
Parts take_apart(const std::string& bounded, std::string_view whole) {
  const std::size_t start = bounded.find("[\u2026");
  EXPECT_NE(start, std::string::npos) << bounded.substr(0, 200);
  const std::size_t end = bounded.find('\n', start) + 1;
  Parts parts{bounded.substr(0, start), bounded.substr(start, end - start), bounded.substr(end)};
  if (!whole.starts_with(parts.head)) parts.head.pop_back();
  return parts;
}

// Bytes in front of the marker, of a text of short lines.
std::size_t head_of(const Bounded& bounded) { return bounded.text.find("[\u2026"); }

TEST(Bounded, LeavesATextThatFitsAsItIs) {
  SCOPED_TRACE("WS-24 for text that would pass the limit only");
  const std::string at_the_limit = numbered_lines(10) + std::string(3'000, 'x');
  for (const std::string& text : {std::string(), std::string("no end"), at_the_limit}) {
    EXPECT_TRUE(fits(text, at_the_limit.size(), kBudget));
    const Bounded bounded = bound_text(text, at_the_limit.size(), kBudget, kKept);
    EXPECT_EQ(bounded.text, text);
    EXPECT_EQ(bounded.left_out, LeftOut());
  }
  EXPECT_FALSE(fits(at_the_limit, at_the_limit.size() - 1, kBudget));
}

TEST(Bounded, ShowsWholeLinesOfHeadAndTail) {
  SCOPED_TRACE("WS-24 WF-9 the head is kept, a fifth of the limit; WF-11 the answer is bounded");
  const std::string text = numbered_lines(20'000);
  const Bounded bounded = bound_text(text, 30'000, kBudget, kKept);
  const Parts parts = take_apart(bounded.text, text);
  EXPECT_TRUE(text.starts_with(parts.head));
  EXPECT_TRUE(text.ends_with(parts.tail));
  EXPECT_TRUE(parts.head.ends_with('\n'));
  EXPECT_TRUE(parts.tail.starts_with("line "));
  EXPECT_LE(parts.head.size(), 6'000U);
  EXPECT_GE(parts.head.size(), 5'900U);
  EXPECT_LE(bounded.text.size(), 30'000U);
  EXPECT_GE(bounded.text.size(), 29'900U);
  EXPECT_EQ(bounded.left_out.bytes, text.size() - parts.head.size() - parts.tail.size());
  EXPECT_EQ(bounded.left_out.lines, 20'000 - count_lines(parts.head) - count_lines(parts.tail));
}

TEST(Bounded, SaysWhatIsMissingAndWhere) {
  SCOPED_TRACE("WS-24 WS-26 WR-11 the numbers in the marker are right");
  const std::string text = numbered_lines(400'000, " of five megabytes");
  const struct {
    const char* name;
    Elsewhere elsewhere;
    const char *key, *other;
  } cases[] = {
      {"WS-26 a pointer to the file", kKept, "bounded.gap", "path"},
      {"WS-26 WR-11 the rest is lost, and why",
       {.reason = "the disk is full"},
       "bounded.gap_lost",
       "reason"},
      {"WS-26 a job that has it, from where the head ends",
       {.job = "job_1"},
       "bounded.gap_job",
       "job"},
  };
  for (const auto& [name, elsewhere, key, other] : cases) {
    SCOPED_TRACE(name);
    const Bounded bounded = bound_text(text, 30'000, kBudget, elsewhere);
    const std::string want = helve::text(key, {{"bytes", std::to_string(bounded.left_out.bytes)},
                                               {"lines", std::to_string(bounded.left_out.lines)},
                                               {"total", std::to_string(text.size())},
                                               {"path", elsewhere.path},
                                               {"reason", elsewhere.reason},
                                               {"job", elsewhere.job},
                                               {"cursor", std::to_string(head_of(bounded))}});
    const Parts parts = take_apart(bounded.text, text);
    EXPECT_EQ(parts.marker, want + '\n');
    EXPECT_EQ(parts.head.size() + parts.tail.size() + bounded.left_out.bytes, text.size());
    EXPECT_NE(want.find(elsewhere.path + elsewhere.reason + elsewhere.job), std::string::npos);
  }
}

TEST(Bounded, ShortensALongLine) {
  SCOPED_TRACE("WS-37 head and tail of a line above 4,000 bytes");
  const std::string line = "begin" + std::string(10'000, 'x') + "end";
  const std::string text = "before\n" + line + "\nafter\n";
  const Bounded bounded = bound_text(text, 30'000, kBudget, kKept);
  ASSERT_TRUE(bounded.text.starts_with("before\nbegin")) << bounded.text;
  const std::size_t end = bounded.text.find("end\nafter\n");
  ASSERT_NE(end, std::string::npos);
  EXPECT_LE(end + 3 - 7, kMostOfLine);
  EXPECT_EQ(bounded.left_out.lines, 0U);
  const std::string cut = std::to_string(bounded.left_out.bytes);
  const std::string in_line = helve::text("bounded.in_line", {{"bytes", cut}});
  EXPECT_NE(bounded.text.find(in_line), std::string::npos);
  const std::string note =
      helve::text("bounded.lines_cut",
                  {{"bytes", cut}, {"total", std::to_string(text.size())}, {"path", kKept.path}});
  EXPECT_TRUE(bounded.text.ends_with("after\n" + note)) << "where the full text is";
  EXPECT_EQ(bounded.text.size() - in_line.size() - note.size() + bounded.left_out.bytes,
            text.size());
}

TEST(Bounded, KeepsALineOfTheMostBytesWhole) {
  SCOPED_TRACE("WS-37 4,000 bytes are not above 4,000");
  const std::string text = std::string(kMostOfLine, 'x') + '\n';
  EXPECT_EQ(bound_text(text, 30'000, kBudget, kKept).text, text);
  EXPECT_FALSE(fits('x' + text, 30'000, kBudget));
}

TEST(Bounded, ShowsCharactersWhereNoLineFits) {
  SCOPED_TRACE("WS-24 for a single long line, whole characters of its head and tail");
  const std::string text = "begin" + std::string(3'000, 'x') + "end";
  const Bounded bounded = bound_text(text, 1'000, kBudget, kKept);
  const Parts parts = take_apart(bounded.text, text);
  EXPECT_TRUE(parts.head.starts_with("begin"));
  EXPECT_TRUE(parts.tail.ends_with("end"));
  EXPECT_LE(bounded.text.size(), 1'000U);
  EXPECT_EQ(bounded.left_out.bytes, text.size() - parts.head.size() - parts.tail.size());
  EXPECT_EQ(bounded.left_out.lines, 0U);
}

TEST(Bounded, NeverCutsACharacter) {
  SCOPED_TRACE("WF-9 WR-6 at every cut of a bounded result");
  const std::string sample = "\u00e4\u2264\U0001F600";
  for (std::size_t shift = 0; shift < 12; ++shift) {
    for (const std::size_t limit : {1'000U, 5'000U, 30'000U}) {
      std::string text(shift, 'a');
      for (int i = 0; i < 10'000; ++i) text += sample;
      const Bounded bounded = bound_text(text, limit, kBudget, kKept);
      ASSERT_TRUE(is_utf8(bounded.text)) << shift << " " << limit;
      ASSERT_LE(bounded.text.size(), limit);
      ASSERT_GT(bounded.text.size(), limit < 4'500 ? limit - 50 : 3'900);
    }
  }
}

TEST(Bounded, StaysUnderTheEncodedBudgetToo) {
  SCOPED_TRACE("WF-11 WS-24 quotes and tabs cost two");
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "\t\"quoted\"\t\"quoted\"\n";
  const Bounded bounded = bound_text(text, 500'000, 36'000, kKept);
  EXPECT_LE(encoded_size(bounded.text), 36'000U);
  EXPECT_GE(encoded_size(bounded.text), 35'800U);
  const Parts parts = take_apart(bounded.text, text);
  EXPECT_EQ(parts.head.size() + parts.tail.size() + bounded.left_out.bytes, text.size());
}

TEST(Bounded, CutsAnEndlessReason) {
  SCOPED_TRACE("WS-24 the marker counts towards the limit");
  const Bounded bounded = bound_text(numbered_lines(1'000), 1'000, 1'000,
                                     {.reason = "a\nb" + std::string(5'000, 'r') + "\u2264"});
  EXPECT_NE(bounded.text.find("a b"), std::string::npos) << "it is one line";
  EXPECT_LE(bounded.text.size(), 1'000U);
  EXPECT_TRUE(bounded.text.starts_with("line 1\n"));
  EXPECT_TRUE(bounded.text.ends_with("line 1000\n"));
}

TEST(Bounded, CountsWhatNobodyHoldsAnyMore) {
  SCOPED_TRACE("WS-24 WS-34 head and tail of a log, with a gap between them");
  const std::string head = numbered_lines(200), tail = numbered_lines(300);
  const LeftOut missing{.bytes = 5'000'000, .lines = 70'000};
  const Bounded bounded = bound_text(head + tail, 1'000, kBudget, kKept, missing);
  const Parts parts = take_apart(bounded.text, head);
  EXPECT_TRUE(tail.ends_with(parts.tail));
  EXPECT_EQ(bounded.left_out.bytes,
            head.size() + tail.size() + 5'000'000 - parts.head.size() - parts.tail.size());
  EXPECT_EQ(bounded.left_out.lines,
            500 + 70'000 - count_lines(parts.head) - count_lines(parts.tail));
  EXPECT_NE(parts.marker.find(std::to_string(head.size() + tail.size() + 5'000'000)),
            std::string::npos);
}

std::string random_text(std::mt19937& random) {
  static const std::string kCharacters[] = {"a", "\"", "\t", "\u00e4", "\u2264", "\U0001F600"};
  std::string text;
  const std::size_t lines = random() % 200;
  const std::size_t longest = random() % 8 == 0 ? 9'000 : 300;
  for (std::size_t i = 0; i < lines; ++i) {
    const std::size_t length = random() % longest;
    for (std::size_t k = 0; k < length; ++k) text += kCharacters[random() % 6];
    if (i + 1 < lines || random() % 2 == 0) text += '\n';
  }
  return text;
}

// Without the remarks of bound_text.
std::size_t bytes_of_text(std::string bounded) {
  for (std::size_t at = 0; (at = bounded.find("\u2026[", at)) != std::string::npos;) {
    bounded.erase(at, bounded.find("]\u2026", at) + 4 - at);
  }
  return bounded.size();
}

TEST(Bounded, AddsUpForRandomTexts) {
  SCOPED_TRACE("WS-24 WS-37 WR-11 exact numbers, both limits");
  std::mt19937 random(24);
  for (int i = 0; i < 100; ++i) {
    const std::string text = random_text(random);
    const std::size_t limit = 1'000 + random() % 40'000;
    const std::size_t budget = 1'000 + random() % 40'000;
    const Bounded bounded = bound_text(text, limit, budget, kKept);
    ASSERT_TRUE(is_utf8(bounded.text));
    ASSERT_LE(bounded.text.size(), limit);
    ASSERT_LE(encoded_size(bounded.text), budget);
    ASSERT_EQ(bounded.left_out.bytes == 0, fits(text, limit, budget));
    if (bounded.left_out.bytes == 0) continue;
    const std::size_t marker = bounded.text.find("[\u2026");
    if (marker == std::string::npos) continue;  // only long lines were cut
    const std::size_t end = bounded.text.find('\n', marker) + 1;
    const std::size_t shown =
        bytes_of_text(bounded.text.substr(0, marker)) + bytes_of_text(bounded.text.substr(end));
    // The line end before the marker is ours where the head was cut inside a line.
    ASSERT_LE(shown + bounded.left_out.bytes - text.size(), 1U);
  }
}

}  // namespace
}  // namespace helve::workspace
