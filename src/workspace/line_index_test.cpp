#include "workspace/line_index.h"

#include <gtest/gtest.h>

#include "workspace/testing/read_through.h"

namespace helve::workspace {
namespace {

struct LinesCase {
  const char* name;
  std::string bytes;
  std::uint64_t lines;
  bool lf, crlf;
};
const LinesCase kLines[] = {
    {"WS-69 an empty file has no line", "", 0, false, false},
    {"WS-69 nor has a BOM alone", "\xEF\xBB\xBF", 0, false, false},
    {"WS-69 WF-27 nothing after the last end is no line", "a\nb\n", 2, true, false},
    {"WS-69 a last piece without an end is one", "a\nb", 2, true, false},
    {"WS-69 an end alone is one", "\n", 1, true, false},
    {"WS-69 CR LF ends a line", "a\r\nb\r\n", 2, false, true},
    {"WS-70 both are known", "a\r\nb\n", 2, true, true},
    {"WS-69 CR alone does not", "a\rb\r", 1, false, false},
    {"WS-69 CR LF over two blocks", std::string(Source::kBlock - 1, 'a') + "\r\nb", 2, false, true},
    {"WS-69 LF first in a block", std::string(Source::kBlock, 'a') + "\nb", 2, true, false},
};

TEST(LineIndex, CountsLines) {
  for (const LinesCase& c : kLines) {
    SCOPED_TRACE(c.name);
    const os::UniqueFd file = testing::file_of(c.bytes);
    Source sources[] = {Source(file.get(), c.bytes.size(), "file"), Source(c.bytes, "file")};
    for (Source& source : sources) {
      LineIndex index(kind_of(c.bytes));
      ASSERT_TRUE(extend(index, source, {}));
      EXPECT_TRUE(index.complete);
      EXPECT_EQ(index.total(), c.lines);
      EXPECT_EQ(index.lf, c.lf);
      EXPECT_EQ(index.crlf, c.crlf);
    }
  }
}

TEST(LineIndex, Ws72FindsTheStartOfEveryLineAndStaysSmall) {
  SCOPED_TRACE("WS-72");
  std::string bytes;
  std::vector<std::uint64_t> starts;
  for (std::size_t i = 0; i < 3 * LineIndex::kMostStarts; ++i) {
    starts.push_back(bytes.size());
    bytes += std::string(i % 7, 'x') + '\n';
  }
  Source source(bytes, "file");
  LineIndex index;
  index.stride = 1;  // as if the file were a thousand times as long
  ASSERT_TRUE(extend(index, source, {}));
  EXPECT_EQ(index.lines, starts.size());
  EXPECT_LE(index.starts.size(), LineIndex::kMostStarts);
  EXPECT_EQ(index.stride, 4U);
  for (std::size_t line = 0; line < starts.size(); line += 97) {
    EXPECT_EQ(start_of_line(index, source, line), starts[line]) << line;
  }
}

TEST(LineIndex, Ws72ScansNoFurtherThanItMust) {
  SCOPED_TRACE("WS-72 WF-26");
  const std::string bytes(10 * Source::kBlock, '\n');
  Source source(bytes, "file");
  LineIndex index;
  ASSERT_TRUE(extend(index, source, {.line = 1}));
  EXPECT_EQ(index.scanned, Source::kBlock);
  ASSERT_TRUE(extend(index, source, {.byte = 2 * Source::kBlock}));
  EXPECT_EQ(index.scanned, 2 * Source::kBlock);
  EXPECT_FALSE(index.complete);
}

TEST(LineIndex, Ws7StopsBetweenBlocks) {
  SCOPED_TRACE("WS-7");
  const std::string bytes(10 * Source::kBlock, '\n');
  Source source(bytes, "file");
  std::atomic<bool> stopped = false;
  source.stop_on(&stopped);
  LineIndex index;
  ASSERT_TRUE(extend(index, source, {.line = 1}));
  stopped = true;
  const auto done = extend(index, source, {});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().rule, "read.cancelled");
  EXPECT_EQ(index.scanned, Source::kBlock);
}

TEST(LineIndexes, Ws72KeepsTheSixtyFourUsedLast) {
  SCOPED_TRACE("WS-72");
  LineIndexes indexes;
  const auto file = [](std::uint64_t inode) { return os::Identity{.inode = inode}; };
  for (std::uint64_t inode = 1; inode <= LineIndexes::kMostFiles; ++inode) {
    indexes.keep(file(inode), LineIndex());
  }
  EXPECT_NE(indexes.find(file(1)), nullptr);  // used, so that 2 is the oldest
  indexes.keep(file(100), LineIndex());
  EXPECT_NE(indexes.find(file(1)), nullptr);
  EXPECT_EQ(indexes.find(file(2)), nullptr);
  EXPECT_NE(indexes.find(file(3)), nullptr);
}

TEST(LineIndexes, Ws72AnotherStateOfTheFileIsAnotherFile) {
  SCOPED_TRACE("WS-72");
  const os::Identity file{.device = 1, .inode = 2, .size = 3, .mtime_ns = 4, .ctime_ns = 5};
  LineIndexes indexes;
  indexes.keep(file, LineIndex());
  EXPECT_NE(indexes.find(file), nullptr);
  for (int changed = 0; changed < 5; ++changed) {
    os::Identity other = file;
    (changed == 0 ? other.device : changed == 1 ? other.inode : other.size) += 1;
    if (changed == 3) other = {.device = 1, .inode = 2, .size = 3, .mtime_ns = 9, .ctime_ns = 5};
    if (changed == 4) other = {.device = 1, .inode = 2, .size = 3, .mtime_ns = 4, .ctime_ns = 9};
    EXPECT_EQ(indexes.find(other), nullptr) << changed;
  }
}

}  // namespace
}  // namespace helve::workspace
