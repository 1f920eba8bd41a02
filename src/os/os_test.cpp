// The wrappers do what their headers say.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/ids.h"
#include "base/texts.h"
#include "os/files.h"
#include "os/loop.h"
#include "os/signals.h"
#include "os/watch.h"

namespace helve::os {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directory(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_ = fs::temp_directory_path() / ("helve-os-test-" + random_hex(8));
};

TEST_F(Files, AreReadWholeOrRefusedWithTheReason) {
  std::ofstream(folder_ / "five") << "12345";
  std::ofstream(folder_ / "none");
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  const struct {
    const char *name, *file;
    std::uint64_t limit;
    const char* want;
  } cases[] = {
      {"a file", "five", 100, "12345"},
      {"an empty file", "none", 0, ""},
      {"a file of just the limit", "five", 5, "12345"},
      {"one byte above the limit", "five", 4, "file.too_large"},
      {"no file", "gone", 100, "file.not_found"},
      {"below a file", "five/x", 100, "file.not_found"},
      {"a folder", ".", 100, "file.not_regular"},
      {"a fifo, without waiting for a writer", "fifo", 100, "file.not_regular"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Result<std::string> bytes = read_file(folder_ / c.file, c.limit);
    EXPECT_EQ(bytes ? *bytes : bytes.error().rule, c.want);
    if (!bytes) EXPECT_EQ(render_text(bytes.error()).find('{'), std::string::npos);
  }
}

TEST_F(Files, AreReplacedAsAWhole) {
  const fs::path file = folder_ / "state";
  ASSERT_TRUE(write_atomic(file, "old", 0600));
  ASSERT_TRUE(write_atomic(file, std::string("new\0bytes", 9), 0640));
  EXPECT_EQ(read_file(file, 100).value(), std::string("new\0bytes", 9));
  struct stat facts{};
  ASSERT_EQ(::stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0640U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);  // no temporary is left
  const auto failed = write_atomic(folder_ / "gone" / "x", "y", 0600);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().rule, "file.unwritable");
}

TEST_F(Files, ThatCannotBeReplacedStayAsTheyAre) {
  fs::create_directories(folder_ / "taken" / "full");
  EXPECT_FALSE(write_atomic(folder_ / "taken", "y", 0600));
  EXPECT_TRUE(fs::exists(folder_ / "taken" / "full"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(Files, PrivateFoldersAreOurs) {
  ASSERT_TRUE(make_private_folder(folder_ / "a" / "b"));
  ASSERT_TRUE(make_private_folder(folder_ / "a" / "b"));
  struct stat facts{};
  ASSERT_EQ(::stat((folder_ / "a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
  std::ofstream(folder_ / "file");
  EXPECT_FALSE(make_private_folder(folder_ / "file"));
  EXPECT_FALSE(make_private_folder(folder_ / "file" / "below"));
}

TEST(UniqueFd, HasOneOwner) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  UniqueFd read(ends[0]), write(ends[1]);
  UniqueFd moved = std::move(write);
  EXPECT_EQ(moved.get(), ends[1]);
  moved = UniqueFd();  // the last writer goes
  char byte = 0;
  EXPECT_EQ(::read(read.get(), &byte, 1), 0);
  EXPECT_EQ(::fcntl(ends[1], F_GETFD), -1);
}

TEST(Loop, BringsWorkOfThePoolBackToItsThread) {
  Loop loop;
  const auto loop_thread = std::this_thread::get_id();
  std::thread::id worked, resumed;
  loop.spawn(
      [](Loop& on, std::thread::id& pool, std::thread::id& back) -> boost::asio::awaitable<void> {
        co_await on.on_pool([&] { pool = std::this_thread::get_id(); });
        co_await Loop::sleep(std::chrono::milliseconds(1));
        back = std::this_thread::get_id();
      }(loop, worked, resumed));
  loop.run();
  EXPECT_NE(worked, loop_thread);
  EXPECT_NE(worked, std::thread::id());
  EXPECT_EQ(resumed, loop_thread);
}

TEST(Signals, AreWaitedFor) {
  Loop loop;
  Signals signals(loop, {SIGUSR1, SIGUSR2});
  std::vector<int> came;
  loop.spawn([](Signals& from, std::vector<int>& out) -> boost::asio::awaitable<void> {
    ::raise(SIGUSR2);  // before anybody waits
    out.push_back(co_await from.next());
    ::raise(SIGUSR1);
    out.push_back(co_await from.next());
  }(signals, came));
  loop.run();
  EXPECT_EQ(came, (std::vector<int>{SIGUSR2, SIGUSR1}));
}

TEST(Signals, EndTheWaitWhenClosed) {
  Loop loop;
  Signals signals(loop, {SIGUSR1});
  int came = -1;
  loop.spawn([](Signals& from, int& out) -> boost::asio::awaitable<void> {
    out = co_await from.next();
  }(signals, came));
  loop.spawn([](Signals& from) -> boost::asio::awaitable<void> {
    co_await Loop::sleep(std::chrono::milliseconds(5));
    from.close();
  }(signals));
  loop.run();
  EXPECT_EQ(came, 0);
}

TEST(Signals, ABrokenPipeIsAnErrorOfTheCall) {
  ignore_sigpipe();
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd write(ends[1]);
  ::close(ends[0]);
  EXPECT_EQ(::write(write.get(), "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
}

TEST(Watch, TellsThatSomethingCanBeReadUntilItIsClosed) {
  Loop loop;
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd write(ends[1]);
  Watch watch(loop);
  ASSERT_EQ(watch.open(UniqueFd(ends[0])), 0);
  int ready = 0, aborted = 0;
  watch.readable([&](boost::system::error_code error) {
    EXPECT_FALSE(error);
    ++ready;
    watch.readable([&](boost::system::error_code closed) { aborted += closed ? 1 : 0; });
    char byte = 0;
    EXPECT_EQ(::read(watch.get(), &byte, 1), 1);
    watch.close();
  });
  ASSERT_EQ(::write(write.get(), "x", 1), 1);
  loop.run();
  EXPECT_EQ(ready, 1);
  EXPECT_EQ(aborted, 1);
  EXPECT_EQ(watch.get(), -1);
  EXPECT_EQ(::fcntl(ends[0], F_GETFD), -1);
}

TEST(Watch, RefusesWhatIsNotOpen) {
  Loop loop;
  Watch watch(loop);
  EXPECT_EQ(watch.open(UniqueFd()), EBADF);
  EXPECT_FALSE(watch.is_open());
}

}  // namespace
}  // namespace helve::os
