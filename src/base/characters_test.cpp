#include "base/characters.h"

#include <gtest/gtest.h>

#include <random>

#include "base/text.h"

namespace helve {
namespace {

struct Folding {
  const char *name, *text, *want;
};

constexpr Folding kFoldings[] = {
    {"ASCII is in lower case", "Read ME, now!", "read me, now!"},
    {"full width and ligatures are plain letters", "\uFF26\uFF49\uFF4C\uFF45 of\uFB01ce",
     "file office"},
    {"an accent joins the letter before it", "CAFE\u0301", "caf\u00E9"},
    {"also across a soft hyphen", "Cafe\u00AD\u0301", "caf\u00E9"},
    {"sharp s is two", "Stra\u00DFe", "strasse"},
    {"joiners are not seen", "down\u00ADload", "download"},
    {"accents are kept", "\u00DCber", "\u00FCber"},
    {"what is no UTF-8 is marked", "a\xFF", "a\uFFFD"},
    {"a mark at the beginning", "\u0301A", "\u0301a"},
    {"nothing", "", ""},
};

TEST(Characters, AreFoldedForComparison) {
  for (const Folding& c : kFoldings) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(folded(c.text), c.want);
  }
}

TEST(Characters, FoldPieceByPieceAsTheWhole) {
  constexpr const char* kPieces[] = {"a",          "E",      " ",      "\u0301", "\u00DF",
                                     "\u4E0A",     "\uFF21", "\u00AD", "\u1100", "\u1161",
                                     "\U0001F600", "\u0345", "\u03A3"};
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string left, right;
    for (unsigned i = random() % 6; i > 0; --i) left += kPieces[random() % std::size(kPieces)];
    for (unsigned i = random() % 6; i > 0; --i) right += kPieces[random() % std::size(kPieces)];
    // A plain letter between them joins neither.
    ASSERT_EQ(folded(left + "x" + "y" + right), folded(left + "x") + folded("y" + right));
    ASSERT_TRUE(is_utf8(folded(left + right)));
  }
}

struct Kind {
  const char* name;
  char32_t character;
  const char* want;
};

constexpr Kind kKinds[] = {
    {"a letter", U'q', "letter word"},
    {"a digit", U'7', "word"},
    {"Han", U'\u4E0A', "letter word"},
    {"an accent", U'\u0301', "mark word"},
    {"punctuation", U'-', ""},
    {"a sign of mathematics", U'+', "symbol"},
    {"a picture", U'\U0001F600', "symbol"},
    {"a tab", U'\t', "blank"},
    {"an ideographic blank", U'\u3000', "blank"},
    {"NUL", U'\0', "blank"},
    {"a byte order mark", U'\uFEFF', "blank"},
};

std::string kinds_of(char32_t c) {
  std::vector<std::string> out;
  if (is_letter(c)) out.emplace_back("letter");
  if (is_mark(c)) out.emplace_back("mark");
  if (is_word(c)) out.emplace_back("word");
  if (is_symbol(c)) out.emplace_back("symbol");
  if (is_blank(c)) out.emplace_back("blank");
  return join(out, " ");
}

TEST(Characters, HaveKinds) {
  for (const Kind& c : kKinds) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(kinds_of(c.character), c.want);
  }
}

}  // namespace
}  // namespace helve
