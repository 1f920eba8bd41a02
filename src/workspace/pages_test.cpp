#include "workspace/pages.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <random>

#include "workspace/testing/read_through.h"

namespace helve::workspace {
namespace {

using namespace std::string_literals;

// "first-last/lines" and what else there is to know of a page.
std::string describe(const Result<Page>& page) {
  if (!page) return "refused " + page.error().rule;
  std::string out = std::to_string(page->first) + '-' + std::to_string(page->last) + '/' +
                    (page->lines_exact ? "" : "at least ") + std::to_string(page->lines);
  if (page->crlf) out += page->lf ? " mixed" : " crlf";
  if (page->lone_cr) out += " lone_cr";
  if (page->lossy) out += " lossy";
  if (page->unfinished) out += " unfinished";
  if (page->cut) {
    out += " cut " + std::to_string(page->cut->from) + '-' + std::to_string(page->cut->to) +
           (page->cut->exact ? " of " : " of at least ") + std::to_string(page->cut->bytes);
  }
  if (page->next) {
    out += " next " + std::to_string(page->next->offset);
    if (page->next->column > 0) out += ':' + std::to_string(page->next->column);
  }
  return out;
}

Result<Page> read(const std::string& bytes, const PageRequest& request) {
  Source source(bytes, "file");
  LineIndex index(kind_of(bytes));
  if (auto done = extend(index, source, {}); !done) return std::unexpected(done.error());
  return read_page(source, index, request);
}

struct PageCase {
  const char* name;
  std::string bytes;
  PageRequest request;
  std::string text, want;
};
const PageCase kPages[] = {
    {"WS-69 an empty file has 0 lines", "", {}, "", "0-0/0"},
    {"WS-71 an offset into an empty file is no error", "", {.offset = 5}, "", "0-0/0"},
    {"WS-69 the whole file", "a\nb\n", {}, "a\nb\n", "1-2/2"},
    {"WS-70 no newline at end", "a\nb", {}, "a\nb", "1-2/2 unfinished"},
    {"WS-70 CR LF is shown as LF", "a\r\nb\r\n", {}, "a\nb\n", "1-2/2 crlf"},
    {"WS-70 WF-29 mixed line ends", "a\r\nb\n", {}, "a\nb\n", "1-2/2 mixed"},
    {"WS-70 mixed beyond the page", "a\nb\r\n", {.limit = 1}, "a\n", "1-1/2 mixed next 1"},
    {"WS-70 a CR that ends no line is a character", "a\rb\n", {}, "a\rb\n", "1-1/1 lone_cr"},
    {"WS-70 WF-29 a BOM is not shown",
     "\xEF\xBB\xBF"
     "a\n",
     {},
     "a\n",
     "1-1/1"},
    {"WS-67 UTF-16LE",
     "\xFF\xFE"
     "a\0\r\0\n\0b\0"s,
     {},
     "a\nb",
     "1-2/2 crlf unfinished"},
    {"WS-67 UTF-16BE", "\xFE\xFF\0a\0\n\0b\0\n"s, {.offset = 1}, "b\n", "2-2/2"},
    {"WS-67 invalid bytes are lossy", "a\xE9\nbc\n", {}, "a\xEF\xBF\xBD\nbc\n", "1-2/2 lossy"},
    {"WS-67 but not where they are not shown", "a\xE9\nb\n", {.offset = 1}, "b\n", "2-2/2"},
    {"WS-71 offset skips lines", "a\nb\nc\n", {.offset = 1}, "b\nc\n", "2-3/3"},
    {"WS-71 limit ends the page", "a\nb\nc\n", {.limit = 2}, "a\nb\n", "1-2/3 next 2"},
    {"WS-71 negative is from the end", "a\nb\nc\n", {.offset = -2}, "b\nc\n", "2-3/3"},
    {"WS-71 of which the first is shown",
     "a\nb\nc\n",
     {.offset = -2, .limit = 1},
     "b\n",
     "2-2/3 next 2"},
    {"WS-71 an unfinished line is the last", "a\nb\nc", {.offset = -1}, "c", "3-3/3 unfinished"},
    {"WS-71 more than there are is all", "a\nb\n", {.offset = -9}, "a\nb\n", "1-2/2"},
    {"WS-71 the lowest number too", "a\nb\n", {.offset = INT64_MIN}, "a\nb\n", "1-2/2"},
    {"WS-71 WF-28 at the end is past it", "a\nb\n", {.offset = 2}, "", "refused read.past_end"},
    {"WS-71 WF-28 and far beyond", "a\n", {.offset = INT64_MAX}, "", "refused read.past_end"},
    {"WS-73 numbers", "a\nb\n", {.offset = 1, .numbers = true}, "2\tb\n", "2-2/2"},
    {"WS-74 column skips bytes", "abc\nd\n", {.column = 2}, "c\nd\n", "1-2/2"},
    {"WS-74 not those of the next line", "abc\nd\n", {.column = 9}, "\nd\n", "1-2/2"},
    {"WS-74 nor the CR of its end", "abc\r\nd\n", {.column = 4}, "\nd\n", "1-2/2 mixed"},
    {"WS-74 beyond the end of the file", "ab", {.column = 9}, "", "1-1/1 unfinished"},
    {"WS-74 no part of a character",
     "a\xE2\x82\xAC"
     "b\n",
     {.column = 2},
     "\xE2\x82\xAC"
     "b\n",
     "1-1/1"},
    {"WS-74 nor of UTF-16",
     "\xFF\xFE"
     "a\0b\0"s,
     {.column = 3},
     "b",
     "1-1/1 unfinished"},
    {"WS-73 a page ends after a whole line",
     "aaaa\nbbbb\ncccc\n",
     {.budget = 13},
     "aaaa\nbbbb\n",
     "1-2/3 next 2"},
    {"WS-74 unless not even one fits",
     "aaaabbbb\nc\n",
     {.budget = 7},
     "aaaa",
     "1-1/2 cut 0-4 of 8 next 0:4"},
    {"WS-74 and on", "aaaabbbb\nc\n", {.column = 4, .budget = 13}, "bbbb\nc\n", "1-2/2"},
};

TEST(Pages, ShowWhatWasAskedFor) {
  for (const PageCase& c : kPages) {
    SCOPED_TRACE(c.name);
    const auto page = read(c.bytes, c.request);
    EXPECT_EQ(describe(page), c.want);
    EXPECT_EQ(page ? page->text : "", c.text);
  }
}

TEST(Pages, Ws74ALongLineIsShownInPartWithItsLength) {
  SCOPED_TRACE("WS-74 WF-30");
  const std::string bytes = "short\n" + std::string(100'000, 'x') + "\nlast\n";
  const auto first = read(bytes, {});
  EXPECT_EQ(describe(first), "1-2/3 cut 0-8192 of 100000 next 1:8192");
  const auto second = read(bytes, {.offset = 1, .column = 8192});
  EXPECT_EQ(describe(second), "2-2/3 cut 8192-40960 of 100000 next 1:40960");
  const auto end = read(bytes, {.offset = 1, .column = 99'999});
  EXPECT_EQ(end->text, "x\nlast\n");
}

TEST(Pages, Ws71ManyLinesFromTheEndOfAFileThatNobodyCounted) {
  SCOPED_TRACE("WS-71 WS-72");
  std::string bytes;
  for (int i = 1; i <= 50'000; ++i) bytes += "line " + std::to_string(i) + '\n';
  const os::UniqueFd file = testing::file_of(bytes);
  Source source(file.get(), bytes.size(), "file");
  LineIndex index;
  const auto page = read_page(source, index, {.offset = -30'000, .limit = 2, .numbers = true});
  EXPECT_EQ(page->text, "-30000\tline 20001\n-29999\tline 20002\n");
  EXPECT_EQ(describe(page), "-30000--29999/at least 30000 next -29998");
  EXPECT_EQ(index.scanned, 0U);
  EXPECT_EQ(describe(read_page(source, index, {.offset = -2})), "-2--1/at least 2");
  const auto rest = testing::read_through(source, index, {.offset = -3, .limit = 1});
  EXPECT_EQ(rest.text, "line 49998\nline 49999\nline 50000\n");
  // There being no more lines than asked for, their numbers are known after all.
  EXPECT_EQ(describe(read_page(source, index, {.offset = -60'000, .limit = 1})),
            "1-1/50000 next 1");
}

TEST(Pages, Ws72CountNoFurtherThanAMebibyteBehindThePage) {
  SCOPED_TRACE("WS-72 WF-26");
  std::string bytes;
  while (bytes.size() < 4 * kCountOn) bytes += "0123456\n";
  const os::UniqueFd file = testing::file_of(bytes);
  Source source(file.get(), bytes.size(), "file");
  LineIndex index;
  const auto page = read_page(source, index, {.limit = 10});
  EXPECT_FALSE(page->lines_exact);
  EXPECT_GE(page->lines, kCountOn / 8);
  EXPECT_LE(index.scanned, kCountOn + 2 * Source::kBlock);
  const auto last =
      read_page(source, index, {.offset = static_cast<std::int64_t>(bytes.size() / 8) - 1});
  EXPECT_TRUE(last->lines_exact);
  EXPECT_EQ(last->text, "0123456\n");
}

// Files of random texts, by seed: short lines and long ones, both line ends, bytes of all kinds.
std::string random_file(std::mt19937& random) {
  const auto pick = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  const char* const marks[] = {"", "\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF"};
  const int mark = pick(3);
  std::string bytes = marks[mark];
  const char* const pieces[] = {"a",    "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                "\xFF", "\x01"};
  const std::string wide[] = {"a\0"s, "\0a"s, "\n\n"s, "\x3D\xD8"s, "\x00\xDE"s, "\xD8\x3D"s};
  for (int lines = pick(25); lines > 0; --lines) {
    const int length = pick(9) == 0 ? 3'000 + pick(30'000) : pick(60);
    const bool plain = pick(1) == 0;  // in the others there is little that fits together
    for (int i = 0; i < length; ++i) {
      const auto piece = static_cast<std::size_t>(plain && pick(50) > 0 ? 0 : pick(5));
      bytes += mark < 2 ? pieces[piece] : wide[mark == 3 && piece == 0 ? 1 : piece];
    }
    const bool ends = lines > 1 || pick(1) == 0;
    const bool cr = pick(2) == 0;
    if (mark < 2 && ends) bytes += cr ? "\r\n" : "\n";
    if (mark == 2 && ends) bytes += cr ? "\r\0\n\0"s : "\n\0"s;
    if (mark == 3 && ends) bytes += cr ? "\0\r\0\n"s : "\0\n"s;
  }
  if (pick(9) == 0) bytes += 'x';  // for UTF-16, half a unit
  return bytes;
}

TEST(Pages, Ws74JoinedAreTheTextOfTheFile) {
  SCOPED_TRACE("WS-74 WR-18: pages joined = file text");
  std::mt19937 random(20'261'130);
  std::size_t texts = 0;
  for (int round = 0; round < 80; ++round) {
    const std::string bytes = random_file(random);
    if (kind_of(bytes).encoding == Encoding::kBinary) continue;
    ++texts;
    const PageRequest request{.limit = 1 + random() % 500, .budget = 1'000 + random() % 36'000};
    const os::UniqueFd file = testing::file_of(bytes);
    Source sources[] = {Source(file.get(), bytes.size(), "file"), Source(bytes, "file")};
    for (Source& source : sources) {
      LineIndex index(kind_of(bytes));
      index.stride = 4;
      const auto all = testing::read_through(source, index, request);
      ASSERT_EQ(all.text, testing::whole_text(bytes)) << "round " << round;
      EXPECT_LE(all.largest, request.budget);
    }
  }
  EXPECT_GT(texts, 40U);
}

TEST(Pages, Wr18AThirtyMegabyteLineIsReadToItsEnd) {
  SCOPED_TRACE("WR-18");
  std::string bytes;
  bytes.reserve(30'000'010);
  while (bytes.size() < 30'000'000) bytes += "{\"key\":" + std::to_string(bytes.size()) + "},";
  const os::UniqueFd file = testing::file_of(bytes);
  Source source(file.get(), bytes.size(), "file");
  LineIndex index;
  ASSERT_TRUE(extend(index, source, {}));
  const auto all = testing::read_through(source, index, {});
  EXPECT_TRUE(all.text == bytes);
  EXPECT_LE(all.largest, PageRequest().budget);
}

TEST(Pages, Wr18TwentyThousandShortLinesAreReadToTheirEnd) {
  SCOPED_TRACE("WR-18");
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) bytes += std::to_string(i) + '\n';
  Source source(bytes, "file");
  LineIndex index;
  const auto all = testing::read_through(source, index, {.limit = 500});
  EXPECT_EQ(all.text, bytes);
  EXPECT_EQ(all.pages, 40U);
  EXPECT_EQ(all.last, 20'000);
}

long peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// A log with holes: text at its beginning, its middle and its end, NUL lines in between.
TEST(Pages, Wr18AnyPartOfAThreeGigabyteFileIsReadInLittleMemory) {
  SCOPED_TRACE("WR-18 WF-26 WS-72");
  const std::uint64_t size = 3ULL << 30U;
  const os::UniqueFd file = testing::file_of("");
  ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(size)), 0);
  const std::string text = "first\nsecond\nthird\n";
  for (const std::uint64_t at : {std::uint64_t{0}, size / 2, size - text.size()}) {
    ASSERT_EQ(::pwrite(file.get(), text.data(), text.size(), static_cast<off_t>(at)),
              static_cast<ssize_t>(text.size()));
  }
  const long before = peak_kib();
  Source source(file.get(), size, "file");
  LineIndex index;
  EXPECT_EQ(read_page(source, index, {.limit = 2})->text, "first\nsecond\n");
  EXPECT_EQ(read_page(source, index, {.offset = -2})->text, "second\nthird\n");
  const auto middle = read_page(source, index, {.offset = 4, .limit = 2});
  EXPECT_EQ(middle->text, "second\nthird\n");
  const auto line = read_page(source, index, {.offset = 3, .column = size / 2 - text.size() + 2});
  EXPECT_EQ(line->text.substr(0, 7), "rst\nsec") << describe(line);
  EXPECT_LT(peak_kib() - before, 2 * 1024);
}

}  // namespace
}  // namespace helve::workspace
