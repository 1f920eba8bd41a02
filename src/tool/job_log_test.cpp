#include "tool/job_log.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/encoded.h"
#include "base/text.h"
#include "tool/detail/disk_log.h"
#include "tool/testing/disk.h"

namespace helve::tool {
namespace {

namespace fs = std::filesystem;
using testing::run_on;
using testing::settle;
using testing::TemporaryFolder;

constexpr LogLimits kSmall = {.head = 300'000, .ring = 500'000, .free_bytes = 0, .free_percent = 0};
constexpr LogLimits kUsual = {.free_bytes = 0, .free_percent = 0};

// A log with a disk part in a folder of its own.
struct Disk {
  explicit Disk(const LogLimits& by = kUsual,
                std::shared_ptr<DiskQuota> from = std::make_shared<DiskQuota>())
      : limits(by), quota(std::move(from)) {
    log.spill_to(std::make_shared<DiskLog>(
        loop, std::make_shared<LogFiles>(folder.path, "job", limits), limits, quota));
  }
  // As a program prints: in pieces, each of which the disk has time for.
  void print(std::string_view text, size_t piece = 100'000) {
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
      log.add(text.substr(0, piece));
      settle(loop);
    }
  }
  std::string read_all(std::uint64_t* skipped = nullptr) {
    std::string all;
    for (std::uint64_t cursor = 0; cursor < log.end();) {
      const auto page = run_on(loop, log.fetch(cursor));
      if (skipped != nullptr) *skipped += page.skipped;
      if (page.next <= cursor) break;
      all += page.text;
      cursor = page.next;
    }
    return all;
  }

  TemporaryFolder folder;
  os::Loop loop;
  LogLimits limits;
  std::shared_ptr<DiskQuota> quota;
  JobLog log;
};

std::string numbered_lines(size_t bytes) {
  std::string lines;
  for (size_t i = 0; lines.size() < bytes; ++i)
    lines += "line " + std::to_string(i) + " \xE2\x89\xA4\n";
  return lines;
}

TEST(JobLog, Ws34KeepsHeadAndTailInMemoryAndAllOfItOnDisk) {
  Disk disk;
  const std::string text = numbered_lines(3'000'000);
  disk.print(text);
  EXPECT_EQ(disk.log.end(), text.size());
  EXPECT_TRUE(disk.read_all() == text);
  EXPECT_EQ(fs::file_size(disk.folder.path / "job.log"), text.size());
  EXPECT_EQ(fs::status(disk.folder.path / "job.log").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST(JobLog, Ws34WritesNothingThatMemoryHolds) {
  Disk disk;
  disk.print(std::string(JobLog::kHead + JobLog::kTail, 'x'));
  EXPECT_FALSE(fs::exists(disk.folder.path / "job.log"));
  disk.print("and more");
  EXPECT_TRUE(fs::exists(disk.folder.path / "job.log"));
  EXPECT_EQ(disk.read_all().size(), disk.log.end());
}

TEST(JobLog, Ws34TheRingHasTheLastBytesAndWhatFellOutIsCounted) {
  Disk disk(kSmall);
  const std::string text = numbered_lines(2'000'000);
  disk.print(text);
  std::uint64_t skipped = 0;
  const std::string all = disk.read_all(&skipped);
  EXPECT_EQ(all.size() + skipped, text.size());
  EXPECT_EQ(skipped, text.size() - kSmall.head - kSmall.ring);
  EXPECT_TRUE(all.starts_with(text.substr(0, kSmall.head - 4)));
  EXPECT_TRUE(all.ends_with(text.substr(text.size() - kSmall.ring + 4)));
  EXPECT_TRUE(is_utf8(all)) << "no character is cut where the middle is gone";
  EXPECT_LE(fs::file_size(disk.folder.path / "job.ring"), kSmall.ring + 64);
}

TEST(JobLog, Wr7EachByteOnceIn200PollsOfAJobThatPrintsAMegabyte) {
  Disk disk;
  const std::string text = numbered_lines(1'000'000);
  std::string all;
  std::uint64_t cursor = 0;
  const size_t step = text.size() / 200 + 1;
  const auto poll = [&] {
    const auto page = run_on(disk.loop, disk.log.fetch(cursor));
    EXPECT_EQ(page.skipped, 0U);
    EXPECT_EQ(page.from, cursor);
    all += page.text;
    cursor = page.next;
  };
  size_t printed = 0;
  for (int i = 0; i < 200; ++i) {
    const size_t to = utf8_floor(text, printed + step);
    disk.log.add_rendered(std::string_view(text).substr(printed, to - printed));
    printed = to;
    if (i % 7 != 0) poll();  // now and then there is more than one page between polls
  }
  EXPECT_EQ(printed, text.size());
  while (cursor < disk.log.end()) poll();
  EXPECT_TRUE(all == text);
}

TEST(JobLog, Ws36APageThatLeavesSomethingEndsWithAWholeLineOrCharacter) {
  struct Case {
    const char* name;
    std::string text;
    size_t bytes;
    std::string page;
  };
  const Case cases[] = {
      {"a whole line", "one\ntwo\nthree\n", 10, "one\ntwo\n"},
      {"a prompt at the end", "one\npassword: ", 100, "one\npassword: "},
      {"one long line", "abcdef", 4, "abcd"},
      {"one long line of long characters", "\xE2\x89\xA4\xE2\x89\xA4", 5, "\xE2\x89\xA4"},
      {"lines exactly", "one\ntwo\n", 4, "one\n"},
  };
  os::Loop loop;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    JobLog log;
    log.add(c.text);
    const auto page = run_on(loop, log.fetch(0, {.bytes = c.bytes, .encoded = 1000}));
    EXPECT_EQ(page.text, c.page);
    EXPECT_EQ(page.next, c.page.size());
  }
}

TEST(JobLog, Wf10PagesAreBoundedAsTheyAreAndAsTheyAreEncoded) {
  os::Loop loop;
  for (const std::string& unit :
       {std::string("x"), std::string("\"\n"), std::string("\xE2\x89\xA4")}) {
    JobLog log;
    for (int i = 0; i < 50'000; ++i) log.add(unit);
    const auto page = run_on(loop, log.fetch(0));
    EXPECT_LE(page.text.size(), 30'000U);
    EXPECT_LE(encoded_size(page.text), 36'000U);
    EXPECT_GE(page.text.size(), 15'000U);
  }
}

TEST(JobLog, Wr9AFloodThatTheDiskCannotFollowStaysSmallAndIsCounted) {
  Disk disk;
  const std::string chunk = numbered_lines(size_t{1} << 20).substr(0, size_t{1} << 20);
  for (int i = 0; i < 64; ++i) disk.log.add_rendered(chunk);  // the loop has no turn in between
  EXPECT_LE(disk.log.disk()->pending().bytes.size() + disk.log.disk()->writing().bytes.size(),
            2 * DiskLog::kMostPending);
  settle(disk.loop);
  std::uint64_t skipped = 0;
  const std::string all = disk.read_all(&skipped);
  EXPECT_EQ(all.size() + skipped, 64 * chunk.size());
  EXPECT_GT(skipped, 0U);
  EXPECT_TRUE(all.ends_with(chunk.substr(chunk.size() / 2)));
}

TEST(JobLog, Ws34WhereTheDiskIsFullTheLogStaysInMemory) {
  LogLimits full = kUsual;
  full.free_bytes = ~std::uint64_t{0};
  for (const LogLimits& limits : {full, LogLimits{.free_bytes = 0, .free_percent = 100}}) {
    Disk disk(limits);
    disk.print(std::string(1'000'000, 'x'));
    EXPECT_FALSE(fs::exists(disk.folder.path / "job.log"));
    std::uint64_t skipped = 0;
    EXPECT_EQ(disk.read_all(&skipped).size() + skipped, 1'000'000U);
    EXPECT_GE(disk.read_all().size(), JobLog::kHead + JobLog::kTail);
  }
}

TEST(JobLog, Ws34OldEndedLogsMakeRoomForThoseOfTheSameSession) {
  const auto quota = std::make_shared<DiskQuota>();
  quota->most = 1'000'000;
  Disk first(kUsual, quota), second(kUsual, quota), third(kUsual, quota);
  first.print(std::string(600'000, 'x'));
  first.log.disk()->give_way();
  second.print(std::string(600'000, 'y'));
  settle(first.loop);
  EXPECT_FALSE(fs::exists(first.folder.path / "job.log"));
  EXPECT_EQ(second.read_all().size(), 600'000U);
  std::uint64_t skipped = 0;
  EXPECT_EQ(first.read_all(&skipped).size() + skipped, 600'000U);
  third.print(std::string(600'000, 'z'));
  EXPECT_LE(quota->used, quota->most) << "one that runs makes no room";
  EXPECT_EQ(second.read_all().size(), 600'000U);
}

TEST(JobLog, Ws61AnotherProcessReadsWhatWasKept) {
  Disk disk(kSmall);
  disk.log.keep();
  disk.print("only a little\n");
  EXPECT_EQ(fs::file_size(disk.folder.path / "job.log"), 14U) << "kept, though memory had it";
  disk.print(numbered_lines(1'000'000));
  const auto files = std::make_shared<LogFiles>(disk.folder.path, "job", kSmall);
  JobLog other;
  other.open(DiskLog::of(disk.loop, files, files->open()));
  EXPECT_EQ(other.end(), disk.log.end());
  const auto page = run_on(disk.loop, other.fetch(other.end() - 1000));
  EXPECT_EQ(page.text, run_on(disk.loop, disk.log.fetch(other.end() - 1000)).text);
  EXPECT_EQ(page.next, other.end());
}

TEST(JobLog, AnotherProcessDoesNotBelieveABrokenRing) {
  Disk disk(kSmall);
  disk.print(numbered_lines(1'000'000));
  for (const char* line : {"", "9 1\n", "0 99999999999\n", "x y\n", "5 18446744073709551615\n"}) {
    std::string bytes(64, ' ');
    bytes.replace(0, std::string_view(line).size(), line);
    std::ofstream(disk.folder.path / "job.ring", std::ios::trunc) << bytes;
    LogFiles files(disk.folder.path, "job", kSmall);
    const LogRanges ranges = files.open();
    EXPECT_EQ(ranges.head, kSmall.head);
    EXPECT_EQ(ranges.end, 0U) << line;
    EXPECT_EQ(files.read(ranges.head, 10), "");
  }
}

TEST(JobLog, Ws33WhatWasAddedIsReadAtOnceWhateverTheDiskDoes) {
  Disk disk;
  disk.log.keep();
  std::uint64_t cursor = 0;
  for (int i = 0; i < 1000; ++i) {  // the loop has no turn, so that nothing is on disk
    const std::string line = std::string(500, 'x') + std::to_string(i) + '\n';
    disk.log.add(line);
    const auto page = disk.log.read(cursor, 1000);
    EXPECT_EQ(page.text, line);
    cursor = page.next;
  }
  settle(disk.loop);
  EXPECT_EQ(disk.read_all().size(), cursor);
}

TEST(JobLog, WakesThoseWhoWaitForItToGrowOnceAndForgetsThoseWhoWent) {
  JobLog log;
  int woken = 0;
  const Wake wake = std::make_shared<std::function<void()>>([&] { ++woken; });
  log.on_growth(wake);
  {
    log.on_growth(std::make_shared<std::function<void()>>([&] { woken += 100; }));
  }
  log.add("a");
  log.add("b");
  EXPECT_EQ(woken, 1);
}

TEST(JobLog, TheLastLineIsTheLastThatIsNotEmpty) {
  JobLog log;
  EXPECT_EQ(log.last_line(), "");
  log.add("one\ntwo\n\n");
  EXPECT_EQ(log.last_line(), "two");
}

TEST(JobLog, Ws34WhatFellOutIsCounted) {
  const std::string text = numbered_lines(2'000'000);
  JobLog plain;
  EXPECT_EQ(plain.dropped(), 0U);
  plain.add(text.substr(0, 200'000));
  EXPECT_EQ(plain.dropped(), 0U);
  plain.add(text.substr(200'000));
  const auto page = plain.read(JobLog::kHead, 1000);
  EXPECT_GT(page.skipped, 1'000'000U);
  EXPECT_LE(plain.dropped() - page.skipped, 3U) << "parts of a character";

  Disk disk(kSmall);
  disk.print(text);
  std::uint64_t skipped = 0;
  disk.read_all(&skipped);
  EXPECT_GT(skipped, 0U);
  EXPECT_NEAR(static_cast<double>(disk.log.dropped()), static_cast<double>(skipped), 3);
}

}  // namespace
}  // namespace helve::tool
