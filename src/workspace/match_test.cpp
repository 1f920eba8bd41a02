#include "workspace/match.h"

#include <gtest/gtest.h>

#include <random>

#include "workspace/testing/edit_words.h"

namespace helve::workspace {
namespace {

using testing::edited;
using namespace std::string_literals;

struct Case {
  const char* name;
  std::string before, old_text, new_text, after;
  bool all = false;
};

const Case kCases[] = {
    {"WS-83 only the replaced range changes", "a b c", "b", "X", "a X c"},
    {"WF-38 invalid bytes stay as they are", "caf\xE9 b \xFF\xFE", "b", "X", "caf\xE9 X \xFF\xFE"},
    {"WS-83 bytes that are no text can be edited", "\0\1b\r\nz"s, "b", "x\ny", "\0\1x\ny\r\nz"s},
    {"WS-84 `new` may be empty", "a b c", " b", "", "a c"},
    {"WS-85 none", "abc", "x", "y", "refused none 0"},
    {"WF-36 WS-85 more than one is refused with the count", "a a a", "a", "b", "refused many 3"},
    {"WS-85 all of them if told to", "a a a", "a", "bb", "bb bb bb", true},
    {"WS-85 counted without overlap, left to right", "aaaaa", "aa", "b", "bba", true},
    {"WS-85 the count is without overlap too", "aaaaa", "aa", "b", "refused many 2"},
    {"WF-39 WS-86 LF matches CR LF, and `new` takes that form", "a\r\nb\r\nc\r\n", "a\nb\n",
     "a\nX\nb\n", "a\r\nX\r\nb\r\nc\r\n"},
    {"WS-86 CR LF matches LF, and `new` takes that form", "a\nb\nc\n", "a\r\nb", "a\r\nX",
     "a\nX\nc\n"},
    {"WS-86 exact bytes come first", "a\nb a\r\nb", "a\nb", "X", "X a\r\nb"},
    {"WS-86 a looser match must be the only one", "a\r\nb a\r\nb", "a\nb", "X",
     "refused many loose 2"},
    {"WS-86 also with all", "a\r\nb a\r\nb", "a\nb", "X", "refused many loose 2", true},
    {"WS-86 mixed line ends each keep their form", "a\r\nb\nc\r\nd", "a\nb\nc\nd", "a\nB\nc\nd",
     "a\r\nB\nc\r\nd"},
    {"WS-86 line ends behind the change keep theirs", "a\r\nb\nc\r\nd", "a\nb\nc\nd", "c\nd",
     "c\r\nd"},
    {"WS-86 new lines in one line take the form of that line", "a\r\nb\r\n", "b", "b\nc",
     "a\r\nb\r\nc\r\n"},
    {"WS-86 in a last line, of the line before", "a\r\nb", "b", "b\nc", "a\r\nb\r\nc"},
    {"WS-86 in a file of LF they stay", "a\nb\n", "b", "b\nc", "a\nb\nc\n"},
    {"WS-86 a CR of `new` is meant", "a\nb\n", "b", "b\r\nc", "a\nb\r\nc\n"},
    {"WS-86 an LF is not torn from its CR", "a\r\nb", "\nb", "X\nb", "aX\r\nb"},
    {"WS-86 a CR alone is no line end", "a\rb", "a\nb", "X", "refused none 0"},
    {"WS-86 nothing but line ends is no change", "a\r\nb", "a\nb", "a\r\nb", "refused no change 1"},
    {"WS-86 a byte order mark is not part of the text",
     "\xEF\xBB\xBF"
     "ab",
     "a", "X",
     "\xEF\xBB\xBF"
     "Xb"},
    {"WS-86 nor can it be matched",
     "\xEF\xBB\xBF"
     "ab",
     "\xEF\xBB\xBF"
     "a",
     "X", "refused none 0"},
    {"WS-86 similar text is never changed: case", "Hello", "hello", "X", "refused none 0"},
    {"WS-86 similar text is never changed: blanks", "a  b", "a b", "X", "refused none 0"},
    {"WS-83 UTF-16 LE is matched as UTF-8",
     "\xFF\xFE"
     "a\0\xE9\0\r\0\n\0b\0"s,
     "é\nb", "ü\nc",
     "\xFF\xFE"
     "a\0\xFC\0\r\0\n\0c\0"s},
    {"WS-83 UTF-16 BE too, with pairs", "\xFE\xFF\0a\xD8\x3D\xDE\x00\0b"s, "\xF0\x9F\x98\x80",
     "\xF0\x9F\x98\x81", "\xFE\xFF\0a\xD8\x3D\xDE\x01\0b"s},
    {"WS-83 half a pair and an odd byte stay",
     "\xFF\xFE\x00\xD8"
     "a\0b\0c"s,
     "a", "X",
     "\xFF\xFE\x00\xD8"
     "X\0b\0c"s},
    {"WS-83 half a pair is not U+FFFD",
     "\xFF\xFE\x00\xD8"
     "a\0"s,
     "\xEF\xBF\xBD", "X", "refused none 0"},
};

TEST(Match, ReplacesExactlyWhatWasMeant) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(edited(c.before, {{c.old_text, c.new_text, c.all}}), c.after);
  }
}

TEST(Match, WS88MatchesSeveralAgainstTheSameOriginal) {
  EXPECT_EQ(edited("one two", {{"one", "two"}, {"two", "one"}}), "two one");
  EXPECT_EQ(edited("one two", {{"two", "2"}, {"one", "1"}}), "1 2") << "in any order";
  EXPECT_EQ(edited("one two", {{"one", "1"}, {"three", "3"}}), "refused none 0") << "all or none";
  EXPECT_EQ(edited("one two", {{"one t", "1"}, {"two", "2"}}), "refused overlap 0");
  EXPECT_EQ(edited("ab", {{"a", "1"}, {"b", "2"}}), "12") << "touching is no overlap";
  EXPECT_EQ(edited("x y x", {{"x", "1", true}, {"y", "2"}}), "1 2 1");
}

TEST(Match, WS85NamesTheFirstTenPlaces) {
  std::string text;
  for (int i = 0; i < 25; ++i) text += "x\n";
  const auto found = match(text, std::vector<Wish>{{"x", "y"}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().count, 25U);
  ASSERT_EQ(found.error().places.size(), 10U);
  EXPECT_EQ(found.error().places[9], 18U);
}

TEST(Match, BoundsHowManyReplacementsThereAre) {
  const std::string text(kMostSwaps + 1, 'a');
  const auto found = match(text, std::vector<Wish>{{"a", "b", true}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().why, Mismatch::Why::kTooMany);
}

// A text of lines with the line ends, byte order marks and odd bytes that files have.
struct Generated {
  std::string bytes;
  std::vector<std::string> lines;  // with their line ends
  std::size_t bom = 0;
};

Generated generate(std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random()) % n; };
  Generated out;
  const unsigned ends = below(4);  // LF, CR LF, mixed, with lone CRs
  const unsigned lines = 3 + below(40);
  for (unsigned i = 0; i < lines; ++i) {
    std::string line = "line " + std::to_string(i) + ' ';
    for (unsigned n = below(12); n > 0; --n) {
      constexpr const char* kParts[] = {"word", "\xE9", "é", "\t", " ", "\xFF", "x\ry", "日本"};
      const unsigned part = below(8);
      line += part == 6 && ends != 3 ? "z" : kParts[part];
    }
    line += '|';
    if (i + 1 < lines || below(2) == 0) {
      line += ends == 1 || (ends == 2 && below(2) == 0) ? "\r\n" : "\n";
    }
    out.lines.push_back(line);
  }
  if (below(3) == 0) out.bom = 3;
  if (out.bom > 0) out.bytes = "\xEF\xBB\xBF";
  for (const std::string& line : out.lines) out.bytes += line;
  return out;
}

std::string with_lf_only(std::string text) {
  for (std::size_t at; (at = text.find("\r\n")) != std::string::npos;) text.erase(at, 1);
  return text;
}

TEST(Match, WR15EveryByteOutsideTheReplacedLinesIsTheSame) {
  std::mt19937 random(15);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    const Generated file = generate(random);
    const std::size_t first = random() % file.lines.size();
    const std::size_t count = 1 + random() % std::min<std::size_t>(4, file.lines.size() - first);
    std::string old_text, head = file.bytes.substr(0, file.bom), tail;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      if (i < first) head += file.lines[i];
      if (i >= first + count) tail += file.lines[i];
      if (i >= first && i < first + count) old_text += file.lines[i];
    }
    // Given with LF, as an agent has it from reading.
    const std::string given = with_lf_only(old_text);
    const std::string put = "new one\n" + given.substr(0, given.size() / 2) + "\nnew two";
    const std::string after = edited(file.bytes, {{given, put}});
    ASSERT_FALSE(after.starts_with("refused")) << after;
    ASSERT_GE(after.size(), head.size() + tail.size());
    EXPECT_EQ(after.substr(0, head.size()), head);
    EXPECT_EQ(after.substr(after.size() - tail.size()), tail);
    const std::string middle = after.substr(head.size(), after.size() - head.size() - tail.size());
    EXPECT_EQ(with_lf_only(middle), with_lf_only(put));
    // One character of one line: not one other byte.
    const std::string mark = "line " + std::to_string(first) + ' ';
    const std::string one = edited(file.bytes, {{mark, "LINE" + mark.substr(4)}});
    ASSERT_EQ(one.size(), file.bytes.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < one.size(); ++i) different += one[i] != file.bytes[i] ? 1 : 0;
    EXPECT_EQ(different, 4U);
  }
}

TEST(Match, FindsTextWithLineEndsIgnored) {
  EXPECT_EQ(find_text_loosely("a\r\nb\r\nc", "b\nc"), 3U);
  EXPECT_EQ(find_text_loosely("a\nb", "a\r\nb"), 0U);
  EXPECT_EQ(find_text_loosely("a\r\nb", "c"), std::nullopt);
  EXPECT_EQ(find_text_loosely("a", ""), std::nullopt);
}

}  // namespace
}  // namespace helve::workspace
