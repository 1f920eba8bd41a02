#include "workspace/no_match.h"

#include <gtest/gtest.h>

#include <random>

#include "base/text.h"
#include "base/time.h"

namespace helve::workspace {
namespace {

constexpr std::string_view kFile =
    "int main() {\n"
    "  const char* name = \"world\";\n"
    "\tprintf(\"hello %s\", name);\n"
    "  return 0;\n"
    "}\n"
    "\n"
    "// the caf\xC3\xA9 is \xE2\x80\x9Copen\xE2\x80\x9D\n"
    "void other() { something(1, 2, 3); }\n";

struct Case {
  const char* name;
  std::string old_text;
  std::size_t line;
  std::vector<std::string> says;
};

const Case kCases[] = {
    {"WS-87 the first character that differs, with both lines",
     "  const char* name = \"World\";",
     2,
     {"line 2", "column 23", "\"w\" (U+0077)", "\"W\" (U+0057)", "file:   const char",
      "Only upper and lower case differ."}},
    {"WS-87 a tab is named",
     "    printf(\"hello %s\", name);",
     3,
     {"line 3", "column 1", "a tab", "a space", "Only the indentation differs."}},
    {"WS-87 a no-break space is named",
     "int\xC2\xA0main() {",
     1,
     {"column 4", "a space", "U+00A0 (no-break space)", "Only blanks, quotes or dashes differ."}},
    {"WS-87 typographic quotes are named",
     "// the caf\xC3\xA9 is \"open\"",
     7,
     {"column 16", "U+201C (left double quotation mark)", "\"\"\" (U+0022)"}},
    {"WS-87 a later line", "  return 0;\n}\n\n// a caf\xC3\xA9", 7, {"line 7", "column 4"}},
    {"WS-87 trailing blanks",
     "  return 0; \n}\n",
     4,
     {"Only blanks at the ends of lines differ.", "a line end", "a space"}},
    {"WS-87 a word that is spelt otherwise",
     "void other() { somthing(1, 2, 3); }",
     8,
     {"line 8", "column 19", "\"e\" (U+0065)", "\"t\" (U+0074)"}},
    {"WS-87 in the middle of a line", "somethin(1, 2", 8, {"line 8", "column 24"}},
    {"WS-87 line numbers with tabs",
     "     3\t\tprintf(\"hello %s\", name);\n     4\t  return 0;\n",
     3,
     {"line numbers", "Without that it is at line 3"}},
    {"WS-87 line numbers with colons",
     "4:   return 0;\n5: }\n",
     4,
     {"line numbers", "Without that it is at line 4"}},
    {"WS-87 line numbers and another mistake",
     "4:   return 1;\n5: }\n",
     4,
     {"line numbers", "The nearest is line 4", "column 10"}},
    {"WS-87 escapes that nobody read",
     "  return 0;\\n}\\n",
     4,
     {"a backslash and an n", "Without that it is at line 4"}},
    {"WS-87 nothing is like it", "completely unrelated words", 0, {"Nothing in the file"}},
    {"WS-87 too short to be like anything", "qq", 0, {"Nothing in the file"}},
    {"WS-87 the end of the file", "something(1, 2, 3); }\nand more", 9, {"nothing more"}},
};

TEST(NoMatch, ShowsTheNearestPlace) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const NoMatch why = explain_no_match(kFile, c.old_text);
    EXPECT_EQ(why.line, c.line);
    for (const std::string& part : c.says) {
      EXPECT_TRUE(why.sentences.contains(part)) << part << "\nin " << why.sentences;
    }
  }
}

TEST(NoMatch, IgnoresLineEndsWhenItCompares) {
  const NoMatch why = explain_no_match("one\r\ntwo\r\nthree\r\n", "one\ntwo\nthree!");
  EXPECT_EQ(why.line, 3U);
  EXPECT_TRUE(why.sentences.contains("column 6")) << why.sentences;
}

TEST(NoMatch, WF41NeverEchoesAllOfOld) {
  const std::string old_text = "  return 0;\n" + std::string(100'000, 'x');
  const NoMatch why = explain_no_match(kFile, old_text);
  EXPECT_LE(why.sentences.size(), 1024U);
}

// WS-87: at most 1 KiB, valid text, whatever there is.
TEST(NoMatch, WS87IsShortAndTextWhateverTheBytes) {
  std::mt19937 random(9);
  for (int round = 0; round < 3000; ++round) {
    std::string texts[2];
    for (std::string& text : texts) {
      for (unsigned n = random() % 400; n > 0; --n) {
        constexpr char kBytes[] =
            "ab \t\n\r\xC3\xA9\xE2\x80\x9C\xFF\x01"
            "12:\\n";
        text += kBytes[random() % (sizeof kBytes - 1)];
      }
    }
    if (texts[1].empty()) continue;
    const NoMatch why = explain_no_match(texts[0], texts[1]);
    ASSERT_LE(why.sentences.size(), 1024U);
    ASSERT_TRUE(is_utf8(why.sentences));
  }
}

TEST(NoMatch, IsFastInLargeFiles) {
  std::string many, one_line;
  for (int i = 0; many.size() < 8U << 20U; ++i) {
    many += "  value_" + std::to_string(i) + " = compute(" + std::to_string(i * 7) + ");\n}\n";
  }
  one_line.assign(many.size(), 'a');
  one_line.replace(5U << 20U, 27, "the needle in this haystack");
  const auto started = Clock::now();
  EXPECT_EQ(explain_no_match(many, "}\n  value_100000 = computed(700000);\n}\n").line, 200001U);
  const NoMatch why = explain_no_match(one_line, "the needle in that haystack");
  EXPECT_EQ(why.line, 1U);
  EXPECT_TRUE(why.sentences.contains("column " + std::to_string((5U << 20U) + 17)))
      << why.sentences;
  EXPECT_LT(Clock::now() - started, std::chrono::seconds(60));
}

}  // namespace
}  // namespace helve::workspace
