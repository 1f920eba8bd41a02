// NT-40: kill -9 at any moment; the next open succeeds without tools.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "os/testing/scratch.h"
#include "store/testing/sqlite_use.h"

namespace helve::store::testing {
namespace {

using os::testing::Scratch;

// Writes lines and their negatives from `first` on, several at once, and tells each that was
// acknowledged through `out`.
[[noreturn]] void write_until_killed(const std::filesystem::path& file, std::int64_t first,
                                     int out) {
  os::Loop loop;
  const auto database =
      open_sqlite(loop, {.at = file, .schemas = {lines()}}, {.checkpoint_pages = 20});
  std::int64_t next = first;
  const auto write = [&]() -> boost::asio::awaitable<void> {
    for (;;) {
      const std::int64_t id = next++;
      const auto done = co_await database->write([id](Connection& connection) -> Result<void> {
        if (auto half = add_line(id, std::string(700, 'p'))(connection); !half) return half;
        return add_line(-id, "n")(connection);
      });
      if (!done || ::write(out, &id, sizeof id) != sizeof id) ::_exit(1);
    }
  };
  for (int each = 0; each < 3; ++each) loop.spawn(write);
  loop.run();
  ::_exit(1);
}

// The ids that came through before the kill.
std::vector<std::int64_t> kill_after(const std::filesystem::path& file, std::int64_t first,
                                     Duration time) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    write_until_killed(file, first, ends[1]);
  }
  ::close(ends[1]);
  std::jthread killing([&] {
    std::this_thread::sleep_for(time);
    ::kill(child, SIGKILL);
  });
  std::vector<std::int64_t> ids;
  for (std::int64_t id = 0; ::read(ends[0], &id, sizeof id) == sizeof id;) ids.push_back(id);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it was refused something";
  return ids;
}

TEST(SqliteKill, Nt40EachAcknowledgedWriteIsThereAndNoneIsHalfThere) {
  const int rounds = std::getenv("HELVE_ALL") != nullptr ? 1000 : 50;
  const Scratch scratch;
  std::mt19937 random(std::random_device{}());
  std::uniform_int_distribution<int> milliseconds(1, 60);
  std::size_t acknowledged = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t first = 1'000'000LL * (round + 1);
    const auto ids =
        kill_after(scratch / "db", first, std::chrono::milliseconds(milliseconds(random)));
    acknowledged += ids.size();
    if (!std::filesystem::exists(scratch / "db")) continue;  // killed before it had begun
    SqliteUse use(scratch / "db");
    ASSERT_EQ(use.word("PRAGMA integrity_check"), "ok") << round;
    for (const std::int64_t id : ids) {
      ASSERT_EQ(use.number("SELECT count(*) FROM line WHERE abs(id) = " + std::to_string(id)), 2)
          << round << " lost " << id;
    }
    ASSERT_EQ(use.number("SELECT coalesce(sum(id), 0) FROM line"), 0) << "a half in " << round;
  }
  std::cout << rounds << " kills, " << acknowledged << " acknowledged writes\n";
  EXPECT_GT(acknowledged, static_cast<std::size_t>(rounds));
}

}  // namespace
}  // namespace helve::store::testing
