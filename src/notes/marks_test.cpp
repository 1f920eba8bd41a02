#include <gtest/gtest.h>

#include "base/text.h"
#include "notes/markdown.h"

namespace helve::notes {
namespace {

std::string describe(const Marks& marks) {
  std::vector<std::string> out;
  for (const std::string& tag : marks.tags) out.push_back('#' + tag);
  for (const std::string& link : marks.links) out.push_back('[' + link + ']');
  return join(out, " ");
}

struct Case {
  const char *name, *body, *want;
};

constexpr Case kCases[] = {
    {"NT-11 tags", "#plan and #a_b-c/d, (#x) #plan", "#plan #a_b-c/d #x"},
    {"tags are folded", "#Plan #PLAN #Stra\u00DFe", "#plan #strasse"},
    {"tags of any script", "\u3002#\u4E0A\u4F20\u3001#\u00E9t\u00E9",
     "#\u4E0A\u4F20 #\u00E9t\u00E9"},
    {"a tag ends with a word", "#plan/ #plan- #a.b", "#plan #a"},
    {"a number is no tag", "fixes #12 and #v2", "#v2"},
    {"a heading is no tag", "# Heading\n## Other #tag\n   ### Third\n", ""},
    {"without a blank it is none", "#Heading\n", "#heading"},
    {"nothing within a word", "a#b c/#d e&#38; ##f x=#g", ""},
    {"nothing in an address", "https://x.y/#a (http://x/a,#b) <https://x/#c> #d", "#d"},
    {"no place in a page", "[x](#there) <a href=\"#top\"> \"#quoted\"", "#quoted"},
    {"no escaped one", "\\#a \\\\ #b", "#b"},
    {"NT-11 nothing in fenced code", "```\n#a [[l]]\n```\n#b\n~~~ x\n#c\n```\n~~~\n#d", "#b #d"},
    {"a fence closes with as many", "````\n```\n#a\n````\n#b", "#b"},
    {"fences in lists and quotes", "- x\n  ```\n  #a\n  ```\n> ```\n> #b\n> ```\n#c", "#c"},
    {"a fence that nothing closes", "```\n#a\n", ""},
    {"NT-11 nothing in code spans", "`#a` ``#b ` #c`` #d `x\n#e` #f", "#d #f"},
    {"a span ends with its paragraph", "`a\n\n#b` #c", "#b #c"},
    {"backticks that nothing closes", "`` #a ` #b", "#a #b"},
    {"escaped backticks", "\\`#a` #b", "#b"},
    {"three backticks in a line are a span", "```#a``` #b", "#b"},
    {"NT-11 links", "see [[Release plan]], [[ n0123456789 ]] and [[Release plan]]",
     "[Release plan] [n0123456789]"},
    {"links in headings", "# On [[Plan]]\n", "[Plan]"},
    {"a tag in a link is none", "[[a #b]]", "[a #b]"},
    {"links end on their line", "[[a\nb]] [[]] [[c] ]] [[[d]]]", "[d]"},
    {"escaped brackets", "\\[[a]]", ""},
    {"line ends of other systems", "#a\r\n```\r\n#b\r\n```\r\n#c\r\n", "#a #c"},
    {"nothing", "", ""},
};

TEST(Marks, AreTagsAndLinksOutsideOfCode) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(marks_of(c.body)), c.want);
  }
}

TEST(Marks, AreShort) {
  const std::string tag(100, 'a'), link(1000, 'b');
  EXPECT_EQ(describe(marks_of('#' + tag)), '#' + tag);
  EXPECT_EQ(describe(marks_of('#' + tag + 'a')), "");
  EXPECT_EQ(describe(marks_of("[[" + link + "]]")), '[' + link + ']');
  EXPECT_EQ(describe(marks_of("[[" + link + "b]]")), "");
}

// Each would take seconds if something were looked for again and again.
TEST(Marks, OfHostileTextsAreFoundQuickly) {
  std::string tags, ticks, brackets(1 << 18, '[');
  for (int i = 0; i < 20'000; ++i) tags += "#t" + std::to_string(i) + ' ';
  for (std::size_t i = 1; i < 1000; ++i) ticks += std::string(i, '`') + ' ';
  EXPECT_EQ(marks_of(tags).tags.size(), 20'000U);
  EXPECT_EQ(describe(marks_of(ticks + "#a")), "#a");
  EXPECT_EQ(describe(marks_of(brackets + "a]]")), "[a]");
}

}  // namespace
}  // namespace helve::notes
