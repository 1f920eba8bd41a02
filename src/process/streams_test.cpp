// What goes in and what comes out: CT-71, CT-72, CT-74, DV-19.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <numeric>

#include "process/testing/run.h"

namespace helve::process {
namespace {

using std::chrono::milliseconds;
using testing::bytes;
using testing::content_of;
using testing::Folder;
using testing::run_ok;
using testing::shell;
using testing::spawn_of;

constexpr size_t kMiB = 1024 * 1024;

std::string all_bytes(size_t count) {
  std::string text(count, '\0');
  unsigned state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 1664525U + 1013904223U) >> 24U);
  return text;
}

TEST(Streams, AreByteExact) {  // CT-72
  for (const size_t size : {size_t{0}, size_t{1}, size_t{65536}, size_t{65537}, 3 * kMiB}) {
    SCOPED_TRACE(size);
    const std::string input = all_bytes(size);
    Spawn spawn = spawn_of({"cat"});
    spawn.input = bytes(input);
    spawn.out.tail = 4 * kMiB;
    const Ended ended = run_ok(std::move(spawn));
    EXPECT_TRUE(ended.out.in_memory());
    EXPECT_TRUE(ended.out.tail == input);
    EXPECT_TRUE(ended.out.complete);
  }
}

TEST(Streams, AreSeparateOrJoined) {
  const char* script = "echo out; echo err >&2; echo more";
  Spawn separate = shell(script), joined = shell(script);
  joined.joined = true;
  const Ended two = run_ok(std::move(separate)), one = run_ok(std::move(joined));
  EXPECT_EQ(two.out.tail, "out\nmore\n");
  EXPECT_EQ(two.err.tail, "err\n");
  EXPECT_EQ(one.out.tail, "out\nerr\nmore\n");
  EXPECT_EQ(one.err.bytes, 0U);
}

TEST(Streams, GiveNothingToReadWithoutInput) {
  EXPECT_EQ(run_ok(shell("readlink /proc/self/fd/0; cat")).out.tail, "/dev/null\n");
}

TEST(Streams, DoNotWaitForAChildThatNeverReads) {  // CT-71: EPIPE is not an error
  Spawn spawn = shell("exit 4");
  spawn.input = bytes(std::string(8 * kMiB, 'x'));
  EXPECT_EQ(run_ok(std::move(spawn)).code, 4);
}

TEST(Streams, KeepFeedingWhileTheOutputIsRead) {  // CT-71: both at once, no deadlock
  Spawn spawn = shell("cat; cat >&2");
  spawn.input = bytes(std::string(16 * kMiB, 'x'));
  const Ended ended = run_ok(std::move(spawn));
  EXPECT_EQ(ended.out.bytes, 16 * kMiB);
  EXPECT_EQ(ended.out.tail.size(), kMiB);
  EXPECT_FALSE(ended.out.complete);
}

TEST(Streams, OutliveAChildThatClosesThem) {
  EXPECT_EQ(run_ok(shell("exec >&- 2>&-; sleep 0.1; exit 5")).code, 5);
}

TEST(Streams, AreReadToTheEndByEachReaderOfAFile) {
  const Folder folder;
  std::ofstream(folder.path / "in") << "one\ntwo\n";
  const File file = std::make_shared<const os::UniqueFd>(
      ::open((folder.path / "in").c_str(), O_RDONLY | O_CLOEXEC));
  ::unlink((folder.path / "in").c_str());
  for (int i = 0; i < 2; ++i) {
    Spawn spawn = spawn_of({"cat"});
    spawn.input = file;
    EXPECT_EQ(run_ok(std::move(spawn)).out.tail, "one\ntwo\n");
  }
}

TEST(Streams, AreHeardAsTheyCome) {
  std::string heard_out, heard_err;
  Spawn spawn = shell("echo a; echo b >&2; echo c");
  spawn.on_output = [&](Stream stream, std::string_view chunk) {
    (stream == Stream::kOut ? heard_out : heard_err) += chunk;
  };
  run_ok(std::move(spawn));
  EXPECT_EQ(heard_out, "a\nc\n");
  EXPECT_EQ(heard_err, "b\n");
}

TEST(Streams, AreNotHeldOpenByABackgroundGrandchild) {  // CT-74
  Spawn spawn = shell("sleep 1000 & echo $!; exit 6");
  spawn.drain = milliseconds(100);
  const Ended ended = run_ok(std::move(spawn));
  EXPECT_EQ(ended.how, Ended::How::kExited);
  EXPECT_EQ(ended.code, 6);
  EXPECT_TRUE(ended.lingered);
  const std::vector<int> pids = testing::numbers_in(ended.out.tail);
  ASSERT_EQ(pids.size(), 1U);
  EXPECT_TRUE(testing::lives(pids[0]));  // the step is finished; its background work goes on
  ::kill(pids[0], SIGKILL);
}

TEST(Streams, AreDrainedWhenAGrandchildStillWrites) {  // CT-74
  Spawn spawn = shell("(sleep 0.1; echo late) & echo early");
  spawn.drain = std::chrono::seconds(60);
  const Ended ended = run_ok(std::move(spawn));
  EXPECT_EQ(ended.out.tail, "early\nlate\n");
  EXPECT_FALSE(ended.lingered);
}

struct SpillCase {
  const char* name;
  size_t bytes, tail;
  std::uint64_t limit;
  bool listener, spilled, complete;
  int error;
};

constexpr SpillCase kSpills[] = {
    {"CT-72 what fits stays in memory", 1000, 1000, 1 << 20, false, false, true, 0},
    {"CT-72 one byte more goes to the file", 1001, 1000, 1 << 20, false, true, true, 0},
    {"CT-72 much, straight to the file", 64 * kMiB, kMiB, 1ULL << 30, false, true, true, 0},
    {"CT-72 much, with a listener", 24 * kMiB, kMiB, 1ULL << 30, true, true, true, 0},
    {"CT-72 the limit ends the spill, not the reading", 8 * kMiB, kMiB, 3 * kMiB, false, true,
     false, EFBIG},
    {"CT-72 the limit with a listener", 8 * kMiB, kMiB, 3 * kMiB, true, true, false, EFBIG},
    {"CT-72 a limit below the tail", 4000, 1000, 500, false, true, false, EFBIG},
    {"CT-72 no limit left at all", 4000, 1000, 0, false, false, false, EFBIG},
    {"CT-72 a tail of nothing", 4000, 0, 1 << 20, false, true, true, 0},
};

TEST(Spill, HoldsTheWholeStreamOrSaysSo) {
  const std::string unit = "0123456789abcdefghijklmnopqrstuvwxyz\n";
  for (const SpillCase& c : kSpills) {
    SCOPED_TRACE(c.name);
    const Folder folder;
    Spawn spawn =
        shell("yes 0123456789abcdefghijklmnopqrstuvwxyz | head -c " + std::to_string(c.bytes));
    spawn.out = {.tail = c.tail, .spill = folder.path / "out", .spill_limit = c.limit};
    size_t heard = 0;
    if (c.listener)
      spawn.on_output = [&](Stream, std::string_view chunk) { heard += chunk.size(); };
    const Ended ended = run_ok(std::move(spawn));
    std::string want;
    while (want.size() < c.bytes) want += unit;
    want.resize(c.bytes);
    EXPECT_EQ(ended.out.bytes, c.bytes);
    EXPECT_TRUE(ended.out.tail == want.substr(c.bytes - std::min(c.bytes, c.tail)));
    EXPECT_EQ(ended.out.spilled != nullptr, c.spilled);
    EXPECT_EQ(ended.out.complete, c.complete);
    EXPECT_EQ(ended.out.spill_error, c.error);
    if (c.complete) EXPECT_TRUE(content_of(ended.out) == want);
    if (c.listener) EXPECT_EQ(heard, c.bytes);
    EXPECT_EQ(std::filesystem::exists(folder.path / "out"), c.spilled);
    if (c.spilled) {
      struct stat facts{};
      ASSERT_EQ(::fstat(ended.out.spilled->get(), &facts), 0);
      EXPECT_EQ(facts.st_mode & 0777U, 0600U);
    }
  }
}

TEST(Spill, NeverWritesOverAFileThatIsThere) {
  const Folder folder;
  std::ofstream(folder.path / "out") << "mine";
  Spawn spawn = shell("head -c 100000 /dev/zero");
  spawn.out = {.tail = 10, .spill = folder.path / "out"};
  const Ended ended = run_ok(std::move(spawn));
  EXPECT_EQ(ended.out.spill_error, EEXIST);
  EXPECT_FALSE(ended.out.complete);
  EXPECT_EQ(ended.out.bytes, 100000U);
  EXPECT_EQ(std::filesystem::file_size(folder.path / "out"), 4U);
}

TEST(Spill, SurvivesAFullDisk) {
  const Folder folder;
  if (::mount("tmpfs", folder.path.c_str(), "tmpfs", 0, "size=2m") != 0) {
    GTEST_SKIP() << "needs the right to mount";
  }
  for (const bool listener : {false, true}) {
    Spawn spawn = shell("yes | head -c 8000000; exit 3");
    spawn.out = {.tail = 1000, .spill = folder.path / (listener ? "a" : "b")};
    if (listener) spawn.on_output = [](Stream, std::string_view) {};
    const Ended ended = run_ok(std::move(spawn));
    EXPECT_EQ(ended.code, 3);
    EXPECT_EQ(ended.out.bytes, 8000000U);
    EXPECT_EQ(ended.out.spill_error, ENOSPC);
    EXPECT_FALSE(ended.out.complete);
    EXPECT_EQ(ended.out.tail.size(), 1000U);
    EXPECT_TRUE(ended.out.tail.ends_with("y\ny\n"));
    ::unlink((folder.path / (listener ? "a" : "b")).c_str());
  }
  ::umount2(folder.path.c_str(), MNT_DETACH);
}

TEST(Spill, FeedsTheNextCommandCompletely) {  // CT-72
  const Folder folder;
  Spawn first = shell("head -c 5000000 /dev/zero");
  first.out = {.tail = 1000, .spill = folder.path / "out"};
  const Ended ended = run_ok(std::move(first));
  ASSERT_TRUE(ended.out.spilled);
  Spawn second = spawn_of({"wc", "-c"});
  second.input = ended.out.spilled;
  EXPECT_EQ(run_ok(std::move(second)).out.tail, "5000000\n");
}

}  // namespace
}  // namespace helve::process
