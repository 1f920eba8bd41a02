#include "workspace/locks.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "os/fd.h"
#include "workspace/testing/desk.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;
using namespace std::chrono_literals;

class LocksTest : public ::testing::Test {
 protected:
  fs::path lock_file(const std::string& path) const {
    return folder.path() / "locks" / (sha256_hex(path).substr(0, 32) + ".lock");
  }

  // Whoever has the lock says so, and leaves after a while.
  void visit(const std::string& path, const std::string& name, Duration stay) {
    loop.spawn([this, path, name, stay]() -> boost::asio::awaitable<void> {
      const auto lock = co_await locks.lock(path, path);
      said += lock ? name + '+' : name + ' ' + lock.error().rule + ' ';
      if (!lock) co_return;
      co_await os::Loop::sleep(stay);
      said += name + '-';
    });
  }

  TemporaryFolder folder;
  os::Loop loop;
  Locks locks{loop, folder.path() / "locks"};
  std::string said;
};

TEST_F(LocksTest, WS90ServesOneAtATimeInTheirOrder) {
  for (const char* name : {"a", "b", "c", "d"}) visit("/f", name, 2ms);
  loop.run();
  EXPECT_EQ(said, "a+a-b+b-c+c-d+d-");
}

TEST_F(LocksTest, WS92DifferentFilesDoNotWaitForEachOther) {
  visit("/f", "a", 50ms);
  visit("/g", "b", 1ms);
  loop.run();
  EXPECT_EQ(said, "a+b+b-a-");
}

TEST_F(LocksTest, WS90LeavesNoLockFileBehind) {
  visit("/f", "a", 1ms);
  loop.run();
  EXPECT_TRUE(fs::exists(folder.path() / "locks"));
  EXPECT_TRUE(fs::is_empty(folder.path() / "locks"));
}

TEST_F(LocksTest, WS90WaitsForAnotherProcess) {
  fs::create_directories(folder.path() / "locks");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const int fd = ::open(lock_file("/f").c_str(), O_RDWR | O_CREAT, 0600);
    struct flock lock{};
    lock.l_type = F_WRLCK;
    const bool locked = fd >= 0 && ::fcntl(fd, F_OFD_SETLK, &lock) == 0;
    const bool told = ::write(ready[1], "x", 1) == 1;
    ::usleep(100'000);
    ::_exit(locked && told ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const auto started = Clock::now();
  visit("/f", "a", 1ms);
  loop.run();
  EXPECT_EQ(said, "a+a-");
  EXPECT_GT(Clock::now() - started, 50ms);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(LocksTest, WS90IsBusyAfterFiveSeconds) {
  fs::create_directories(folder.path() / "locks");
  const os::UniqueFd fd(::open(lock_file("/f").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  struct flock lock{};
  lock.l_type = F_WRLCK;
  ASSERT_EQ(::fcntl(fd.get(), F_OFD_SETLK, &lock), 0);
  const auto started = Clock::now();
  visit("/f", "a", 1ms);  // of another process
  visit("/f", "b", 1ms);  // behind it
  loop.run();
  EXPECT_TRUE(said == "a file.busy b file.busy " || said == "b file.busy a file.busy ") << said;
  EXPECT_GE(Clock::now() - started, 4900ms);
}

TEST_F(LocksTest, TurnsAreInOrderAndNeedNoFile) {
  for (const char* name : {"a", "b"}) {
    loop.spawn([this, name = std::string(name)]() -> boost::asio::awaitable<void> {
      const auto turn = co_await locks.turn("session", "/f", "f");
      co_await os::Loop::sleep(2ms);
      said += name;
    });
  }
  loop.run();
  EXPECT_EQ(said, "ab");
  EXPECT_FALSE(fs::exists(folder.path() / "locks"));
}

}  // namespace
}  // namespace helve::workspace
