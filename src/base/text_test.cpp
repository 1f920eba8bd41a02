#include "base/text.h"

#include <gtest/gtest.h>

namespace helve {
namespace {

struct Bytes {
  const char *name, *bytes;
  bool valid;
  const char* repaired;
};

constexpr Bytes kBytes[] = {
    {"ASCII", "abc", true, "abc"},
    {"two, three and four bytes", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", true,
     "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
    {"a lone continuation", "a\x80z", false, "a\xEF\xBF\xBDz"},
    {"an overlong slash", "\xC0\xAF", false, "\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"an overlong three-byte form", "\xE0\x80\x80", false, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"a surrogate", "\xED\xA0\x80", false, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"beyond U+10FFFF", "\xF4\x90\x80\x80", false,
     "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"a cut sequence is one", "\xE2\x82", false, "\xEF\xBF\xBD"},
    {"a cut sequence in front of a letter", "\xF0\x9F\x98z", false, "\xEF\xBF\xBDz"},
};

TEST(Text, KnowsAndRepairsUtf8) {
  for (const Bytes& c : kBytes) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(is_utf8(c.bytes), c.valid);
    EXPECT_EQ(to_utf8(c.bytes), c.repaired);
    EXPECT_TRUE(is_utf8(to_utf8(c.bytes)));
  }
}

struct Cut {
  size_t at, floor, ceil;
};

TEST(Text, CutsBetweenCharacters) {
  const std::string text = "a\xE2\x82\xAC\xF0\x9F\x98\x80";  // 1 + 3 + 4 bytes
  for (const Cut c : {Cut{0, 0, 0}, Cut{1, 1, 1}, Cut{2, 1, 4}, Cut{3, 1, 4}, Cut{4, 4, 4},
                      Cut{5, 4, 8}, Cut{7, 4, 8}, Cut{8, 8, 8}, Cut{99, 8, 8}}) {
    EXPECT_EQ(utf8_floor(text, c.at), c.floor) << c.at;
    EXPECT_EQ(utf8_ceil(text, c.at), c.ceil) << c.at;
  }
}

TEST(Text, KnowsHowMuchOfAPieceIsWhole) {
  const std::string text = "a\xE2\x82\xAC\xF0\x9F\x98\x80";
  for (size_t size = 0; size <= text.size(); ++size) {
    const std::string_view piece = std::string_view(text).substr(0, size);
    EXPECT_EQ(utf8_whole(piece), utf8_floor(text, size)) << size;
  }
  EXPECT_EQ(utf8_whole("\x80\x80\x80\x80"), 4U) << "no text at all";
}

TEST(Text, CountsCharacters) {
  EXPECT_EQ(count_characters(""), 0U);
  EXPECT_EQ(count_characters("a\xE2\x82\xAC\xF0\x9F\x98\x80"), 3U);
}

TEST(Text, CutsBrokenBytesAnywhere) {
  const std::string text = "\x80\x80\x80\x80\x80\x80";
  for (size_t at = 0; at <= text.size(); ++at) {
    EXPECT_EQ(utf8_floor(text, at), at);
    EXPECT_EQ(utf8_ceil(text, at), at);
  }
}

TEST(Text, CodePointsGoOutAsTheyCameIn) {
  for (const char32_t c : {U'a', U'\u00E9', U'\u20AC', U'\U0001F600', U'\U0010FFFF'}) {
    std::string bytes;
    append_utf8(bytes, c);
    size_t at = 0;
    EXPECT_EQ(next_code_point(bytes, at), c);
    EXPECT_EQ(at, bytes.size());
  }
}

struct Pair {
  const char *name, *text, *want;
};

constexpr Pair kTrimmed[] = {
    {"BL-21 blanks and line ends", " \t\n\v\f\r a b \r\n", "a b"},
    {"BL-21 a no-break space", "\xC2\xA0x\xC2\xA0", "x"},
    {"BL-21 U+1680 and U+2000", "\xE1\x9A\x80x\xE2\x80\x80", "x"},
    {"BL-21 U+200A, U+2028, U+2029", "\xE2\x80\x8Ax\xE2\x80\xA8\xE2\x80\xA9", "x"},
    {"BL-21 U+202F, U+205F, U+3000", "\xE2\x80\xAFx\xE2\x81\x9F\xE3\x80\x80", "x"},
    {"BL-21 a byte order mark", "\xEF\xBB\xBFx\xEF\xBB\xBF", "x"},
    {"BL-21 not U+0085", "\xC2\x85x", "\xC2\x85x"},
    {"BL-21 not U+200B", "x\xE2\x80\x8B", "x\xE2\x80\x8B"},
    {"blanks alone", " \xC2\xA0 ", ""},
    {"nothing", "", ""},
    {"broken bytes stay", " \x80 ", "\x80"},
};

TEST(Text, TrimsTheWhiteSpaceOfECMAScript) {
  for (const Pair& c : kTrimmed) EXPECT_EQ(trim(c.text), c.want) << c.name;
}

constexpr Pair kFlattened[] = {
    {"BL-22 a line end", "a\nb", "a b"},
    {"BL-22 a run is one",
     "a\r\n\t\x7F"
     "b",
     "a b"},
    {"BL-22 the second row of controls",
     "a\xC2\x80\xC2\x9F"
     "b",
     "a b"},
    {"BL-22 U+00A0 is none",
     "a\xC2\xA0"
     "b",
     "a\xC2\xA0"
     "b"},
    {"BL-22 U+2028 is none",
     "a\xE2\x80\xA8"
     "b",
     "a\xE2\x80\xA8"
     "b"},
    {"spaces are kept", "a  b", "a  b"},
};

TEST(Text, FlattensControls) {
  for (const Pair& c : kFlattened) EXPECT_EQ(flatten_controls(c.text), c.want) << c.name;
}

struct Distance {
  const char *a, *b;
  size_t limit, want;
};

constexpr Distance kDistances[] = {
    {"", "", 2, 0},       {"abc", "abc", 2, 0},    {"abc", "abd", 2, 1},
    {"abc", "ab", 2, 1},  {"abc", "bcd", 2, 2},    {"kitten", "sitting", 5, 3},
    {"abc", "xyz", 2, 3}, {"a", "abcdefgh", 2, 3}, {"", "ab", 5, 2},
};

TEST(Text, MeasuresEditDistance) {
  for (const Distance& c : kDistances) {
    EXPECT_EQ(edit_distance(c.a, c.b, c.limit), c.want) << c.a << " " << c.b;
    EXPECT_EQ(edit_distance(c.b, c.a, c.limit), c.want) << c.b << " " << c.a;
  }
}

TEST(Text, SuggestsTheClosestOnly) {
  EXPECT_EQ(closest("comand", {"timeout", "command"}), "command");
  EXPECT_EQ(closest("pth", {"paths", "path"}), "path");
  EXPECT_EQ(closest("colour", {"path"}), "");
}

constexpr Pair kQuoted[] = {
    {"a plain word", "src/a.b-c_1", "src/a.b-c_1"},
    {"a blank", "a b", "'a b'"},
    {"nothing", "", "''"},
    {"a quote", "it's", R"('it'\''s')"},
    {"a dollar", "$HOME", "'$HOME'"},
    {"what is not ASCII", "\xC3\xA9", "'\xC3\xA9'"},
    {"a line end and a tab", "a\n\tb", R"($'a\n\tb')"},
    {"an escape beside quotes", "\x1b[1m'\\", R"($'\x1b[1m\'\\')"},
    {"a control character of two bytes", "\xC3\xA9\xC2\x9B", "$'\xC3\xA9\\xc2\\x9b'"},
    {"delete", "\x7F", R"($'\x7f')"},
    {"what turns the order of reading", "a\u202Eb", R"($'a\xe2\x80\xaeb')"},
    {"what cannot be seen", "rm\u200B\uFEFF", R"($'rm\xe2\x80\x8b\xef\xbb\xbf')"},
};

TEST(Text, QuotesForAShell) {
  for (const Pair& c : kQuoted) EXPECT_EQ(shell_quote(c.text), c.want) << c.name;
  EXPECT_EQ(shell_quote(std::vector<std::string>{"echo", "a b"}), "echo 'a b'");
}

TEST(Text, SplitsAndJoins) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(lower_ascii("AbC\xC3\x89"), "abc\xC3\x89");
}

}  // namespace
}  // namespace helve
