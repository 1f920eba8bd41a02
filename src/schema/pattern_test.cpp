#include "schema/detail/pattern.h"

#include <gtest/gtest.h>

namespace helve::schema {
namespace {

struct Case {
  const char *name, *pattern, *subject;
  bool found;
};

constexpr Case kCases[] = {
    {"a pattern is not anchored", "b", "abc", true},
    {"^ and $ are the ends of the text, not of a line", "^b$", "a\nb\nc", false},
    {"a dot is no line end", "^a.c$", "a\nc", false},
    {"a dot is one code point", "^.$", "\xF0\x9F\x98\x80", true},
    {"\\d is ASCII", R"(^\d$)", "\xD9\xA1", false},
    {"\\D is the rest", R"(^\D$)", "\xD9\xA1", true},
    {"\\w is ASCII", R"(^\w$)", "\xC3\xA9", false},
    {"\\s is ECMAScript's white space", R"(^\s$)", "\xEF\xBB\xBF", true},
    {"\\S in a class", R"(^[\S ]+$)", "a b", true},
    {"a code point in braces", R"(^\u{1F600}$)", "\xF0\x9F\x98\x80", true},
    {"a surrogate pair is one character", R"(^\ud83d\ude00$)", "\xF0\x9F\x98\x80", true},
    {"a range beyond the BMP", R"(^[😀-😎]$)", "\xF0\x9F\x98\x83", true},
    {"\\x and \\c", R"(^\x41\cJ$)", "A\n", true},
    {"an empty class never matches", "[]", "a", false},
    {"its opposite always does", "^[^]$", "\n", true},
    {"POSIX classes are plain characters", "^[[:alpha:]]$", "a", false},
    {"the same with what it then means", "^[[:alpha:]]$", "p]", true},
    {"Perl's \\Q is no escape", R"(a\-b)", "a-b", true},
    {"look-ahead", "^(?=.*\\d)(?!.*x).+$", "ab1", true},
    {"look-behind", "(?<=\\$)\\d+", "$5", true},
    {"named groups", "^(?<year>\\d{4})-(?<month>\\d{2})$", "2026-11", true},
    {"lazy quantifiers", "^a+?b*?$", "aab", true},
    {"counted repeats", "^(?:ab){2,3}$", "abababab", false},
    {"word limits", R"(\bcat\b)", "a cat.", true},
    {"alternatives", "^(?:foo|bar)$", "bar", true},
};

TEST(Pattern, MeansWhatECMAScriptMeans) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto pattern = Pattern::compile(c.pattern);
    ASSERT_TRUE(pattern) << pattern.error();
    EXPECT_EQ(pattern->search(c.subject), c.found ? Pattern::Answer::kYes : Pattern::Answer::kNo);
  }
}

TEST(Pattern, FindsTheNulCharacter) {
  const auto pattern = Pattern::compile(R"(^a\0b$)");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->search(std::string_view("a\0b", 3)), Pattern::Answer::kYes);
}

TEST(Pattern, RefusesWhatECMAScriptDoesNotHaveOrWeDoNot) {
  for (const char* source :
       {"(",           ")",       "[a",     "*a",       "a**",    "a*+",   "(?=a)*",
        "^*",          "\\Qa",    "\\p{L}", "(a)\\1",   "\\k<a>", "(?i)a", "(?>a)",
        "[z-a]",       "[a-\\d]", "a{3,2}", "a{20000}", "\\",     "\\x4",  "\\u12",
        "\\u{110000}", "\\c1",    "(?R)",   "(?#c)",    "(?<a",   "(?|a)"}) {
    EXPECT_FALSE(Pattern::compile(source)) << source;
  }
}

TEST(Pattern, GivesUpInsteadOfRunningOn) {
  const auto pattern = Pattern::compile("^(a+)+$");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->search(std::string(40, 'a') + "b"), Pattern::Answer::kTooHard);
  const auto quadratic = Pattern::compile("a*b");
  ASSERT_TRUE(quadratic);
  EXPECT_NE(quadratic->search(std::string(500'000, 'a')), Pattern::Answer::kYes);
}

TEST(Pattern, LongSubjectsNeitherCrashNorPass) {
  const auto pattern = Pattern::compile("^(?:a|b)*$");
  ASSERT_TRUE(pattern);
  EXPECT_EQ(pattern->search(std::string(2'000'000, 'a')), Pattern::Answer::kTooHard);
  EXPECT_NE(pattern->search(std::string(900'000, 'a')), Pattern::Answer::kNo);
  EXPECT_EQ(Pattern::compile("^[ab]*$")->search(std::string(900'000, 'a')), Pattern::Answer::kYes);
}

}  // namespace
}  // namespace helve::schema
