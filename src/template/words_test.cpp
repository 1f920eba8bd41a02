// Word splitting, clause by clause; the vectors have many more cases.
#include <gtest/gtest.h>

#include "base/text.h"
#include "template/parts.h"

namespace helve::tmpl {
namespace {

struct Case {
  const char *name, *text, *want;  // words in brackets
};

constexpr Case kCases[] = {
    {"CT-10 the six ASCII blanks separate", "a b\tc\nd\ve\ff\rg", "[a][b][c][d][e][f][g]"},
    {"CT-10 a no-break space does not",
     "a\xC2\xA0"
     "b",
     "[a\xC2\xA0"
     "b]"},
    {"CT-11 single quotes keep everything, the backslash too", R"(a'b\n "c"'d)", R"([ab\n "c"d])"},
    {"CT-11 double quotes end at the next quote that is not escaped", R"("a\"b" c)", R"([a"b][c])"},
    {"CT-11 touching pieces join into one word", R"(a"b"'c'd)", "[abcd]"},
    {"CT-12 an empty pair is a word", R"(a '' "" """")", "[a][][][]"},
    {"CT-13 a backslash outside quotes takes the next character as it is", R"(\;\d\ x \\)",
     R"([;d x][\])"},
    {"CT-13 there is no line continuation", "a\\\nb", "[a\nb]"},
    {"CT-14 in double quotes the backslash goes before its partners", R"("\"\\\'\$\`\ ")",
     R"(["\'$` ])"},
    {"CT-14 and stays before anything else", R"("\d+\.\(")", R"([\d+\.\(])"},
    {"CT-15 a backslash at the very end stays", R"(a b\)", R"([a][b\])"},
    {"CT-16 a quote that stays open is an error", "a 'b", "unterminated_quote"},
    {"CT-16 also when the last character escaped it", R"(a "b\")", "unterminated_quote"},
    {"CT-17 nothing else is special", "#x $HOME *.c {a,b} ~ ; | & > <",
     "[#x][$HOME][*.c][{a,b}][~][;][|][&][>][<]"},
    {"CT-17 other characters pass unchanged", "grüße 日本", "[grüße][日本]"},
};

std::string describe(const Result<std::vector<Word>>& words) {
  if (!words) return error_class(words.error());
  std::string out;
  for (const Word& word : *words) out += "[" + word.text + "]";
  return out;
}

TEST(Words, AreSplitAsTheFormatSays) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(split_words(c.text)), c.want);
  }
}

}  // namespace
}  // namespace helve::tmpl
