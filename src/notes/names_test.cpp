#include <gtest/gtest.h>

#include "base/text.h"
#include "notes/markdown.h"

namespace helve::notes {
namespace {

struct Named {
  const char *name, *title, *want;
};

constexpr Named kNames[] = {
    {"NT-48 words with dashes between", "Release plan, 2026!", "release-plan-2026--nid.md"},
    {"none at the ends", " - a - ", "a--nid.md"},
    {"accents go", "Caf\u00E9 \u00DCber na\u00EFve", "cafe-uber-naive--nid.md"},
    {"also those that stand alone", "e\u0301 x\u030C", "e-x--nid.md"},
    {"sharp s and ligatures are letters", "Stra\u00DFe o\uFB01", "strasse-ofi--nid.md"},
    {"other scripts stay, small", "\u041F\u043B\u0430\u043D \u4E0A\u4F20",
     "\u043F\u043B\u0430\u043D-\u4E0A\u4F20--nid.md"},
    {"with their marks", "\u0439\u043E\u0433\u0430", "\u0439\u043E\u0433\u0430--nid.md"},
    {"nothing of it is left", "?! \U0001F600", "note--nid.md"},
    {"nothing dangerous is left", "../../etc/passwd", "etc-passwd--nid.md"},
    {"NT-48 at most 60 bytes", "a123456789 b123456789 c123456789 d123456789 e123456789 f123456789",
     "a123456789-b123456789-c123456789-d123456789-e123456789-f1234--nid.md"},
    {"cut before a dash that would be the last",
     "a123456789 b123456789 c123456789 d123456789 e123456789 f123 xyz",
     "a123456789-b123456789-c123456789-d123456789-e123456789-f123--nid.md"},
    {"cut between characters",
     "abcdefghij klmnopqrst uvwxyzabcd efghijklmn opqrstuvwx abcd\u4E0A\u4F20",
     "abcdefghij-klmnopqrst-uvwxyzabcd-efghijklmn-opqrstuvwx-abcd--nid.md"},
};

TEST(FileName, IsASlugAndTheId) {
  for (const Named& c : kNames) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(file_name_for(c.title, "nid"), c.want);
  }
}

struct Titled {
  const char *name, *body, *file, *want;
};

constexpr Titled kTitles[] = {
    {"NT-50 the first heading", "text\n\n## Plan B ##\n# Other\n", "x.md", "Plan B"},
    {"a number sign may be a part of it", "# C#\n", "x.md", "C#"},
    {"an empty heading is none", "#\n# ##\n# Plan\n", "x.md", "Plan"},
    {"nor is a tag", "#tag\n", "x.md", "x"},
    {"nor what stands in code", "```sh\n# comment\n```\n~~~~\n# c\n~~~\n# c\n~~~~\n# Plan\n",
     "x.md", "Plan"},
    {"NT-50 else the name", "text", "a/b/My plan.md", "My plan"},
    {"without the id", "text", "my-plan--n0123456789.md", "my-plan"},
    {"but with what only looks like it", "text", "my--plan.MD", "my--plan"},
    {"a name of an ending alone", "", ".md", ".md"},
    {"line ends are no part of it", "# Plan\r\ntext", "x.md", "Plan"},
    {"nor are controls",
     "# a\tb\x01"
     "c\n",
     "x.md", "a b c"},
};

TEST(Title, IsThatOfTheFirstHeadingOrTheFile) {
  for (const Titled& c : kTitles) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(title_for(c.body, c.file), c.want);
  }
}

}  // namespace
}  // namespace helve::notes
