// NT-38, NT-39: several processes on one file.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <vector>

#include "os/testing/scratch.h"
#include "store/testing/sqlite_use.h"

namespace helve::store::testing {
namespace {

using os::testing::Scratch;

constexpr int kProcesses = 8, kWrites = 500;

struct Told {
  int refused = 0;
  std::int64_t slowest_us = 0;
};

Told write_many(const std::filesystem::path& file, int process) {
  Told told;
  SqliteUse use(file);
  for (int each = 0; each < kWrites; ++each) {
    const auto start = Clock::now();
    if (!use.write(add_line(process * kWrites + each))) ++told.refused;
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
    told.slowest_us = std::max(told.slowest_us, std::int64_t{took.count()});
  }
  return told;
}

TEST(SqliteProcesses, Nt38EightThatWriteAtOnceTakeTurns) {
  const Scratch scratch;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    children.push_back(child);
    if (child != 0) continue;
    const Told told = write_many(scratch / "db", process);
    ::_exit(::write(ends[1], &told, sizeof told) == sizeof told ? 0 : 1);
  }
  ::close(ends[1]);
  Told all;
  int answered = 0;
  for (Told told; ::read(ends[0], &told, sizeof told) == sizeof told; ++answered) {
    all.refused += told.refused;
    all.slowest_us = std::max(all.slowest_us, told.slowest_us);
  }
  ::close(ends[0]);
  // Not -1: a server that other tests have started is a child, too.
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  EXPECT_EQ(answered, kProcesses);
  EXPECT_EQ(all.refused, 0);
  EXPECT_LT(all.slowest_us, 5'000'000);
  std::cout << "slowest write: " << all.slowest_us / 1000 << " ms\n";
  SqliteUse use(scratch / "db");
  EXPECT_EQ(use.number("SELECT count(*) FROM line"), kProcesses * kWrites);
  EXPECT_EQ(use.word("PRAGMA integrity_check"), "ok");
}

TEST(SqliteProcesses, EachHearsOfWhatTheOthersCommit) {
  const Scratch scratch;
  ASSERT_EQ(rule(SqliteUse(scratch / "db").write(add_line(1))), "ok");
  SqliteUse use(scratch / "db");
  int heard = 0;
  use.database().on_change([&] { ++heard; });
  ASSERT_EQ(use.number("SELECT count(*) FROM line"), 1);
  use.until([&] { return heard > 0; }, std::chrono::milliseconds(300));
  EXPECT_EQ(heard, 0) << "that was before";
  for (std::int64_t id = 2; id < 5; ++id) {
    heard = 0;
    EXPECT_EQ(
        os::testing::in_child([&] { return rule(SqliteUse(scratch / "db").write(add_line(id))); }),
        "ok");
    EXPECT_TRUE(use.until([&] { return heard > 0; })) << id;
  }
  heard = 0;
  ASSERT_EQ(rule(use.write(add_line(9))), "ok");
  EXPECT_TRUE(use.until([&] { return heard > 0; })) << "and of its own";
}

}  // namespace
}  // namespace helve::store::testing
