// What a terminal would have shown (WS-35), and that text is never cut inside a character.
#include "workspace/output.h"

#include <gtest/gtest.h>

#include <random>

#include "base/text.h"

namespace helve::workspace {
namespace {

using namespace std::string_literals;

std::string render(std::string_view bytes) {
  Output output;
  std::string out;
  output.feed(bytes, out);
  output.finish(out);
  return out;
}

std::string render_in_chunks(std::string_view bytes, std::mt19937& random, std::size_t most) {
  Output output;
  std::string out;
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), 1 + random() % most);
    output.feed(bytes.substr(0, size), out);
    bytes.remove_prefix(size);
  }
  output.finish(out);
  return out;
}

TEST(Output, ShowsWhatATerminalWouldHaveShown) {
  const struct {
    const char* name;
    std::string bytes, want;
  } cases[] = {
      {"WS-35 plain text", "one\ntwo", "one\ntwo"},
      {"WS-35 CR LF is one line end", "one\r\ntwo\r\n", "one\ntwo\n"},
      {"WS-35 two CR before LF too", "one\r\r\n", "one\n"},
      {"WS-35 a lone CR lets later text replace", "abcdef\rxy\n", "xycdef\n"},
      {"WS-35 and the rest goes with erase to end", "abcdef\rxy\x1b[K\n", "xy\n"},
      {"WS-35 erase before the text that is new", "abcdef\r\x1b[0Kxy\n", "xy\n"},
      {"WS-35 the whole line erased", "abcdef\x1b[2K\rxy\n", "xy\n"},
      {"WS-35 erase below", "abcdef\r\x1b[Jxy\n", "xy\n"},
      {"WS-35 wider characters replace one each", "abc\r\u00e4\u2264\n", "\u00e4\u2264c\n"},
      {"WS-35 and are replaced as one", "\u2264\u2264c\rab\n", "abc\n"},
      {"WS-35 a progress bar", " 1%\r 50%\r100%\n", "100%\n"},
      {"WS-35 the cursor to the left", "10%\x1b[3D20%\n", "20%\n"},
      {"WS-35 far to the left", "10%\x1b[1000D20\n", "20%\n"},
      {"WS-35 to the first column", "abc\x1b[Gx\x1b[1Gy\n", "ybc\n"},
      {"WS-35 backspace removes a character", "ab\bc\n", "ac\n"},
      {"WS-35 of any width", "a\u2264\bc\n", "ac\n"},
      {"WS-35 not more than there are", "a\b\b\bc\n", "c\n"},
      {"WS-35 inside a line it moves back", "abc\rxy\bz\n", "xzc\n"},
      {"WS-35 bold of old manuals", "b\bbo\bol\bld\bd\n", "bold\n"},
      {"WS-35 colours", "\x1b[1;31mred\x1b[0m\n", "red\n"},
      {"WS-35 colours with colons", "\x1b[38:2::255:0:0mred\x1b[m\n", "red\n"},
      {"WS-35 private modes", "\x1b[?25lhid\x1b[?25h\x1b[?K\n", "hid\n"},
      {"WS-35 intermediate bytes", "a\x1b[1 qb\x1b[!pc\n", "abc\n"},
      {"WS-35 a title ended by BEL", "\x1b]0;title\x07text\n", "text\n"},
      {"WS-35 a title ended by ST", "\x1b]0;ti\u2264tle\x1b\\text\n", "text\n"},
      {"WS-35 a link keeps its words", "\x1b]8;;http://x\x1b\\words\x1b]8;;\x1b\\\n", "words\n"},
      {"WS-35 DCS, SOS, PM, APC", "\x1bPa\x1b\\1\x1bXa\x1b\\2\x1b^a\x1b\\3\x1b_a\x1b\\4", "1234"},
      {"WS-35 an unterminated title ends with its line", "\x1b]0;title\nnext\n", "\nnext\n"},
      {"WS-35 or with the next sequence", "\x1b]0;title\x1b[1mnext\n", "next\n"},
      {"WS-35 CAN ends any of them", "\x1b]0;title\x18next\x1b[3\x18more\n", "nextmore\n"},
      {"WS-35 two-byte forms",
       "a\x1b(Bb\x1b=c\x1b%Gd\x1b\x37"
       "e\n",
       "abcde\n"},
      {"WS-35 a line end breaks a sequence off", "a\x1b[3\nb\x1b\nc\n", "a\nb\nc\n"},
      {"WS-35 a character breaks it off", "a\x1b[3\u2264b\x1b\u2264\n", "a\u2264b\u2264\n"},
      {"WS-35 an escape at the end", "a\x1b", "a"},
      {"WS-35 other control characters go",
       "a\0b\x01\x07\x0b\x0c\x0e\x7f"
       "c\td\n"s,
       "abc\td\n"},
      {"WS-35 those above ASCII as well", "a\u0085b\u009b1mc\u009f\n", "ab1mc\n"},
      {"WS-35 an invalid byte",
       "a\xff"
       "b\n",
       "a\uFFFDb\n"},
      {"WS-35 one U+FFFD for each", "a\xe2\x89x\xc3\n", "a\uFFFD\uFFFDx\uFFFD\n"},
      {"WS-35 overlong", "\xc0\x80\xe0\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
      {"WS-35 a surrogate", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
      {"WS-35 above U+10FFFF", "\xf4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
      {"WS-35 a character begins after a broken one", "\xe2\xe2\x89\xa4", "\uFFFD\u2264"},
      {"WR-6 an unfinished character at the end is one", "a\xf0\x9f\x98", "a\uFFFD"},
      {"WS-35 characters of four bytes", "\U0001F600\n", "\U0001F600\n"},
  };
  for (const auto& [name, bytes, want] : cases) {
    SCOPED_TRACE(name);
    EXPECT_EQ(render(bytes), want);
    std::mt19937 random(1);
    EXPECT_EQ(render_in_chunks(bytes, random, 1), want) << "byte by byte";
  }
}

TEST(Output, CountsWhatItReplaced) {
  SCOPED_TRACE("WS-35 data.lossy");
  Output output;
  std::string out;
  output.feed("a\xff\xe2\x89", out);
  EXPECT_EQ(output.replaced(), 1U);
  output.finish(out);
  EXPECT_EQ(output.replaced(), 2U);
  EXPECT_EQ(output.bytes(), 4U);
  EXPECT_EQ(out, "a\uFFFD\uFFFD");
}

TEST(Output, GivesWholeLinesAtOnceAndTheRestWhenAsked) {
  SCOPED_TRACE("WS-36 a cursor rests at the end of a whole line");
  const struct {
    const char* name;
    std::vector<std::string> steps;  // "!" settles
    std::string want;
  } cases[] = {
      {"WS-36 a line without its end is held", {"one\ntwo"}, "one\n"},
      {"WS-36 a prompt", {"Name: ", "!"}, "Name: "},
      {"WS-36 it goes on where it was", {"Name: ", "!", "Ann\n"}, "Name: Ann\n"},
      {"WS-36 never inside a character", {"a\xe2\x89", "!"}, "a"},
      {"WS-36 the character comes whole", {"a\xe2\x89", "!", "\xa4", "!"}, "a\u2264"},
      {"WS-36 settled twice, given once", {"a", "!", "!"}, "a"},
      {"WS-36 its end alone", {"a", "!", "\r\n"}, "a\n"},
      {"WS-36 what replaces it has its own line", {"10%", "!", "\r20%\n"}, "10%\n20%\n"},
      {"WS-36 after CR too", {"10%\r", "!", "20%\n"}, "10%\n20%\n"},
      {"WS-36 in the middle of it", {"abc\rx", "!", "y\n"}, "xbc\ny\n"},
      {"WS-36 by backspace", {"10%", "!", "\b\b\b20%\n"}, "10%\n20%\n"},
      {"WS-36 erased", {"10%", "!", "\x1b[2K20%\n"}, "10%\n20%\n"},
      {"WS-36 CR without text is nothing", {"10%", "!", "\r", "!", "\n"}, "10%\n"},
      {"WS-36 what was held stays with it", {"ab", "!", "cd\rx\n"}, "abcd\nx\n"},
      {"WS-36 inside a sequence", {"a\x1b[3", "!", "1mb", "!"}, "ab"},
      {"WS-36 many lines later", {"a", "!", "b\nc\nd\n", "\re\n"}, "ab\nc\nd\ne\n"},
  };
  for (const auto& [name, steps, want] : cases) {
    SCOPED_TRACE(name);
    Output output;
    std::string out;
    for (const std::string& step : steps) {
      if (step == "!") {
        output.settle(out);
      } else {
        output.feed(step, out);
      }
    }
    EXPECT_EQ(out, want);
  }
}

TEST(Output, SaysWhetherSettlingWouldGiveSomething) {
  SCOPED_TRACE("WS-36 a partial line");
  Output output;
  std::string out;
  EXPECT_FALSE(output.has_partial());
  output.feed("one\n", out);
  EXPECT_FALSE(output.has_partial());
  output.feed("two\r", out);
  EXPECT_TRUE(output.has_partial());
  output.settle(out);
  EXPECT_FALSE(output.has_partial());
}

TEST(Output, KeepsCharactersWholeThatComeByteByByte) {
  SCOPED_TRACE("WF-8 WR-6 characters of two, three and four bytes");
  const std::string sample = "\u00e4\u00df\u00f1 \u2264\u4e2d\u20ac \U0001F600\U00010348\n";
  Output output;
  std::string out;
  for (const char byte : sample) {
    output.feed(std::string_view(&byte, 1), out);
    output.settle(out);
    ASSERT_TRUE(is_utf8(out));
    ASSERT_TRUE(sample.starts_with(out)) << out;
  }
  EXPECT_EQ(out, sample);
  EXPECT_EQ(output.replaced(), 0U);
}

TEST(Output, GivesAVeryLongLineAwayInPieces) {
  SCOPED_TRACE("WS-34 WS-36 memory stays bounded without line ends");
  Output output;
  std::string out, all;
  const std::string chunk(100'000, 'x');
  for (int i = 0; i < 20; ++i) {
    output.feed(chunk, out);
    all += chunk;
    EXPECT_LE(all.size() - out.size(), ShownLine::kMostHeld);
  }
  output.feed("\rnew\n", out);
  EXPECT_EQ(out, all + "\nnew\n") << "what is gone cannot be replaced";
}

TEST(Output, DropsASequenceOfAnyLengthUpToItsEnd) {
  SCOPED_TRACE("WS-35 long sequences");
  const std::string kilobytes(1 << 20, '7');
  EXPECT_EQ(render("a\x1b[" + kilobytes + "mb"), "ab");
  EXPECT_EQ(render("a\x1b]" + kilobytes + "\nb"), "a\nb");
  EXPECT_EQ(render("a\x1bP" + kilobytes + "\x1b\\b"), "ab");
}

TEST(Output, IsNotSlowedDownByWhatMovesTheCursor) {
  SCOPED_TRACE("WS-33 no input costs more than its length");
  std::string bytes(60'000, 'a');
  for (int i = 0; i < 50'000; ++i) bytes += "\r\u2264";
  const std::string out = render(bytes);
  EXPECT_EQ(out.size(), 60'000U + 2);
  EXPECT_TRUE(
      out.starts_with("\u2264"
                      "aaa"));
}

// Pieces of output, so that random texts meet every state.
std::string random_bytes_of_a_terminal(std::mt19937& random) {
  static const std::string kPieces[] = {"word ",
                                        "\n",
                                        "\r\n",
                                        "\r",
                                        "\b",
                                        "\t",
                                        "\x1b[K",
                                        "\x1b[31m",
                                        "\x1b[2D",
                                        "\x1b[2K",
                                        "\x1b]0;t\x07",
                                        "\x1b",
                                        "\x1b[",
                                        "\x1bP1",
                                        "\x1b\\",
                                        "\u00e4",
                                        "\u2264",
                                        "\U0001F600",
                                        "\xe2",
                                        "\xe2\x89",
                                        "\xff",
                                        "\xc2\x85",
                                        "\x7f",
                                        "\x18",
                                        "\x1b[G",
                                        "\x1b[J",
                                        "\0"s,
                                        "0123456789",
                                        std::string(300, 'y'),
                                        std::string(70'000, 'z')};
  std::string bytes;
  const std::size_t count = random() % 60;
  for (std::size_t i = 0; i < count; ++i) {
    // The long one seldom: it is the slowest.
    const std::size_t at = random() % (std::size(kPieces) - (random() % 100 == 0 ? 0 : 1));
    bytes += kPieces[at];
  }
  return bytes;
}

TEST(Output, IsTheSameHoweverTheBytesComeInPieces) {
  SCOPED_TRACE("WF-8 WS-35 carried state");
  std::mt19937 random(20261130);
  for (int i = 0; i < 1'000; ++i) {
    const std::string bytes = random_bytes_of_a_terminal(random);
    const std::string whole = render(bytes);
    ASSERT_TRUE(is_utf8(whole));
    ASSERT_EQ(render_in_chunks(bytes, random, 1 + random() % 200), whole);
  }
}

TEST(Output, OnlyGrowsAndIsValidWhereverItIsSettled) {
  SCOPED_TRACE("WS-36 WF-8 a cursor never rests inside a character");
  std::mt19937 random(7);
  for (int i = 0; i < 80; ++i) {
    const std::string bytes = random_bytes_of_a_terminal(random);
    Output output;
    std::string out;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = std::min(bytes.size() - at, 1 + random() % 40);
      const std::string before = out;
      output.feed(std::string_view(bytes).substr(at, size), out);
      if (random() % 3 == 0) output.settle(out);
      at += size;
      ASSERT_TRUE(out.starts_with(before));
      ASSERT_TRUE(is_utf8(out));
    }
    output.finish(out);
    ASSERT_TRUE(is_utf8(out));
    ASSERT_FALSE(output.has_partial());
  }
}

}  // namespace
}  // namespace helve::workspace
