#include "notes/query.h"

#include <gtest/gtest.h>

#include <random>

#include "base/text.h"

namespace helve::notes {
namespace {

// "-title:text*" for each piece, with its key where that is another.
std::string describe(const std::vector<Piece>& pieces) {
  std::vector<std::string> out;
  for (const Piece& piece : pieces) {
    std::string one = piece.exclude ? "-" : "";
    if (piece.title) one += "title:";
    one += '[' + piece.text + ']';
    if (piece.prefix) one += '*';
    if (piece.key != piece.text) one += "=[" + piece.key + ']';
    out.push_back(one);
  }
  return join(out, " ");
}

struct Case {
  const char *name, *query, *want;
};

constexpr Case kCases[] = {
    {"NT-43 white space cuts", " release \t plan\n2026 ", "[release] [plan] [2026]"},
    {"NT-43 not within quotes", "\"release plan\" b", "[release plan] [b]"},
    {"NT-43 a doubled quote is one", "\"say \"\"hi\"\" now\"", "[say \"hi\" now]"},
    {"NT-43 a dash excludes", "a -b", "[a] -[b]"},
    {"also what is quoted", "-\"b c\"", "-[b c]"},
    {"a dash within does not", "POL-358 a-b", "[POL-358]=[pol-358] [a-b]"},
    {"an option excludes nothing", "git --force", "[git] [--force]"},
    {"NT-43 a star makes a prefix", "rel* \"release pl\"*", "[rel]* [release pl]*"},
    {"a star within does not", "a*b \"c*\"", "[a*b] [c*]"},
    {"NT-43 title: limits", "title:plan title:\"a b\" -title:x*",
     "title:[plan] title:[a b] -title:[x]*"},
    {"title: alone is text", "title: plan", "[title:] [plan]"},
    {"other fields are text", "body:plan", "[body:plan]"},
    {"operators are text", "a AND b NEAR(c) ^d {e}",
     "[a] [AND]=[and] [b] [NEAR(c)]=[near(c)] [^d] [{e}]"},
    {"NT-9 keys are folded", "Stra\u00DFe", "[Stra\u00DFe]=[strasse]"},
    {"keys have single blanks", "\"a\n  b \"", "[a   b ]=[a b]"},
    {"a quote that nothing closes is left out", "\"release plan", "[release] [plan]"},
    {"a quote within is text", "5\" disk", "[5\"] [disk]"},
    {"quotes end a piece", "\"a\"b \"c\"-d", "[a] [b] [c] [-d]"},
    {"empty quotes ask for nothing", "\"\" a", "[a]"},
    {"NT-43 punctuation only is nothing", "-- ?! ... \" ' * - -* () \u2026 + <=> \u3002", ""},
    {"pictures are searched", "\U0001F600", "[\U0001F600]"},
    {"controls are white space",
     "a\x01"
     "b",
     "[a] [b]"},
    {"what is no UTF-8 is marked", "a\xFF", "[a\uFFFD]"},
    {"nothing", "", ""},
};

TEST(Query, IsCutIntoPieces) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(cut(c.query)), c.want);
  }
}

TEST(Query, HasAtMost32Pieces) {
  std::string query;
  for (int i = 0; i < 100; ++i) query += "w" + std::to_string(i) + " -- ";
  const auto pieces = cut(query);
  ASSERT_EQ(pieces.size(), 32U);
  EXPECT_EQ(pieces.back().text, "w31");
}

struct Match {
  const char *name, *query, *title, *text;
  bool want;
};

constexpr Match kMatches[] = {
    {"NT-43 C++ is not any c", "C++", "", "the c compiler", false},
    {"NT-43 C++ is C++", "c++", "", "Write it in C++.", true},
    {"NT-43 a key of a tracker", "POL-358", "", "see (pol-358)", true},
    {"and no longer one", "POL-358", "", "see POL-3581", false},
    {"NT-43 don't", "don't", "", "I don't know", true},
    {"nor do n and t", "don't", "", "don, t", false},
    {"NT-43 a/b", "a/b", "", "the a/b test", true},
    {"a word is whole", "cat", "", "concatenate", false},
    {"the second place may be it", "cat", "", "concatenate the cat", true},
    {"NT-43 a prefix begins a word", "cat*", "", "categories", true},
    {"and stands not inside of one", "cat*", "", "concatenate", false},
    {"NT-43 title: looks at titles only", "title:plan", "x", "plan", false},
    {"title: finds a title", "title:plan", "The plan", "x", true},
    {"a piece without it looks at both", "plan", "The plan", "x", true},
    {"a phrase over lines", "\"release plan\"", "", "the release\n  plan", true},
    {"a phrase in order", "\"release plan\"", "", "plan the release", false},
    {"NT-43 CJK within a run", "\u4E0A\u4F20", "", "\u8BF7\u4E0A\u4F20\u6587\u4EF6", true},
    {"Latin beside CJK", "pdf", "", "PDF\u3092\u691C\u7D22", true},
    {"folded both", "STRASSE", "", "Hauptstra\u00DFe, Stra\u00DFe", true},
    {"pictures", "\U0001F600", "", "a\U0001F600b", true},
};

TEST(Query, MatchesToTheLetter) {
  for (const Match& c : kMatches) {
    SCOPED_TRACE(c.name);
    const auto pieces = cut(c.query);
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_EQ(matches(pieces[0], search_key(c.title), search_key(c.text)), c.want);
  }
}

TEST(Query, WithoutAKeyMatchesNothing) { EXPECT_FALSE(matches(Piece{}, "a", "b")); }

struct Chosen {
  const char *name, *query;
  Way way;
  bool check = false;
};

constexpr Chosen kChosen[] = {
    {"a word", "release", Way::kWords},
    {"a phrase", "\"release plan\"", Way::kWords},
    {"NT-43 punctuation is checked again", "C++", Way::kWords, true},
    {"NT-43 also between words", "POL-358", Way::kWords, true},
    {"an accent is none", "caf\u00E9", Way::kWords},
    {"Hangul writes blanks", "\uD30C\uC77C", Way::kWords},
    {"NT-43 three of CJK", "\u4E0A\u4F20\u6587", Way::kTrigrams},
    {"NT-43 two of CJK", "\u4E0A\u4F20", Way::kScan},
    {"a word with CJK in it", "pdf\u3092", Way::kTrigrams},
    {"Thai", "\u0E25\u0E1A", Way::kScan},
    {"a picture", "\U0001F600", Way::kScan},
};

TEST(Query, KnowsTheIndexThatFindsAPiece) {
  for (const Chosen& c : kChosen) {
    SCOPED_TRACE(c.name);
    const auto pieces = cut(c.query);
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_EQ(way_of(pieces[0]), c.way);
    EXPECT_EQ(needs_check(pieces[0]), c.check);
  }
}

TEST(Query, EveryQuotedTextFindsItself) {
  constexpr const char* kParts[] = {"a",      "B",      " ",      "-",      "\"",         "*",
                                    "title:", "\u4E0A", "\u00E9", "\u0301", "\U0001F600", "\n",
                                    "'",      "+",      "\u00AD", "\uFF21"};
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string text = "x", query = "\"x";
    for (unsigned i = random() % 8; i > 0; --i) {
      const std::string part = kParts[random() % std::size(kParts)];
      text += part;
      query += part == "\"" ? "\"\"" : part;
    }
    const auto pieces = cut(query + '"');
    ASSERT_EQ(pieces.size(), 1U) << query;
    ASSERT_TRUE(matches(pieces[0], "", search_key(text))) << text;
    ASSERT_TRUE(matches(pieces[0], search_key("see, " + text + " ."), "")) << text;
  }
}

}  // namespace
}  // namespace helve::notes
