// NT-37, NT-38: writes share commits, and each of them stands or falls alone.
#include <gtest/gtest.h>

#include <thread>

#include "os/testing/scratch.h"
#include "store/detail/sqlite_connection.h"
#include "store/testing/fault_vfs.h"
#include "store/testing/sqlite_use.h"

namespace helve::store::testing {
namespace {

using os::testing::Scratch;

std::vector<Database::Work> works(std::int64_t count, std::int64_t first = 1) {
  std::vector<Database::Work> all;
  for (std::int64_t id = first; id < first + count; ++id) all.push_back(add_line(id));
  return all;
}

TEST(SqliteWriter, Nt37SixteenThatWaitShareCommits) {
  const Scratch scratch;
  FaultVfs& vfs = FaultVfs::get();
  SqliteUse use(scratch / "db", {.vfs = FaultVfs::name()});
  ASSERT_EQ(rule(use.write(add_line(1000))), "ok");
  vfs.clear();
  for (std::int64_t id = 1; id <= 16; ++id) ASSERT_EQ(rule(use.write(add_line(id))), "ok");
  const int one_by_one = vfs.syncs();
  vfs.clear();
  EXPECT_EQ(use.write_all(works(16, 101)), std::vector<std::string>(16, "ok"));
  EXPECT_GE(one_by_one, 16) << "each that was acknowledged is durable";
  EXPECT_LE(vfs.syncs(), 3);
  EXPECT_EQ(use.number("SELECT count(*) FROM line"), 33);
}

TEST(SqliteWriter, OneThatIsRefusedUndoesItselfOnly) {
  const Scratch scratch;
  SqliteUse use(scratch / "db");
  std::vector<Database::Work> all = works(6);
  all[2] = [](Connection& connection) -> Result<void> {
    if (auto done = add_line(3)(connection); !done) return done;
    return refuse("store.full", {{"reason", "a test"}});
  };
  all[4] = add_line(1);  // is there already
  EXPECT_EQ(use.write_all(std::move(all)),
            (std::vector<std::string>{"ok", "ok", "store.full", "ok", "store.unavailable", "ok"}));
  EXPECT_EQ(use.word("SELECT group_concat(id) FROM (SELECT id FROM line ORDER BY id)"), "1,2,4,6");
}

TEST(SqliteWriter, PlacesAreTakenByTheirNumber) {
  const Scratch scratch;
  SqliteUse use(scratch / "db");
  std::string found;
  const auto done = use.read([&](Connection& connection) -> Result<void> {
    auto rows = connection.run("SELECT $2 || $1 || $2 || coalesce($3, '-')", {"b", "a", Value()});
    if (!rows) return std::unexpected(rows.error());
    found = text(std::move(rows->rows.at(0).at(0)));
    return {};
  });
  EXPECT_EQ(rule(done), "ok");
  EXPECT_EQ(found, "aba-");
}

TEST(SqliteWriter, Nt38WhoWaitsTooLongForAnotherProcessIsRefused) {
  const Scratch scratch;
  SqliteUse holder(scratch / "db");
  SqliteUse other(scratch / "db", {.patience = std::chrono::milliseconds(300)});
  ASSERT_EQ(rule(other.write(add_line(1))), "ok");
  std::atomic<bool> held = false;
  std::atomic<bool> let_go = false;
  std::jthread holding([&] {
    EXPECT_EQ(rule(holder.write([&](Connection&) -> Result<void> {
                held = true;
                while (!let_go) std::this_thread::sleep_for(std::chrono::milliseconds(5));
                return {};
              })),
              "ok");
  });
  while (!held) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(other.write_all(works(3, 2)), std::vector<std::string>(3, "store.unavailable"));
  EXPECT_EQ(other.number("SELECT count(*) FROM line"), 1) << "readers wait for nobody";
  let_go = true;
  holding.join();
  EXPECT_EQ(rule(other.write(add_line(9))), "ok");
  EXPECT_EQ(other.number("SELECT count(*) FROM line"), 2) << "nothing of the refused was written";
}

TEST(SqliteWriter, Nt38AStrangerThatHoldsSqlitesOwnLockIsWaitedForAsLong) {
  const Scratch scratch;
  SqliteUse use(scratch / "db", {.patience = std::chrono::milliseconds(300)});
  ASSERT_EQ(rule(use.write(add_line(1))), "ok");
  int code = 0;
  const auto stranger = SqliteConnection::open(scratch / "db", Access::kWrite, "", &code);
  ASSERT_TRUE(stranger);
  ASSERT_TRUE((*stranger)->script("BEGIN IMMEDIATE"));
  EXPECT_EQ(rule(use.write(add_line(2))), "store.unavailable");
  ASSERT_TRUE((*stranger)->script("COMMIT"));
  EXPECT_EQ(rule(use.write(add_line(2))), "ok");
}

TEST(SqliteWriter, AReadSeesOneMomentWhateverIsCommittedMeanwhile) {
  const Scratch scratch;
  SqliteUse reader(scratch / "db");
  SqliteUse writer(scratch / "db");
  ASSERT_EQ(rule(writer.write(add_line(1))), "ok");
  const auto count = [](Connection& connection) {
    return integer(connection.run("SELECT count(*) FROM line").value().rows.at(0).at(0));
  };
  std::int64_t before = 0;
  std::int64_t after = 0;
  EXPECT_EQ(rule(reader.read([&](Connection& connection) -> Result<void> {
              before = count(connection);
              std::jthread([&] { EXPECT_EQ(rule(writer.write(add_line(2))), "ok"); }).join();
              after = count(connection);
              return {};
            })),
            "ok");
  EXPECT_EQ(before, 1);
  EXPECT_EQ(after, 1);
  EXPECT_EQ(reader.number("SELECT count(*) FROM line"), 2);
}

TEST(SqliteWriter, WhatAReadWouldWriteFails) {
  const Scratch scratch;
  SqliteUse use(scratch / "db");
  EXPECT_EQ(rule(use.read(add_line(1))), "store.read_only");
  EXPECT_EQ(use.number("SELECT count(*) FROM line"), 0);
}

TEST(SqliteWriter, Nt37TheLogStaysShortAndIsEmptiedWhenIdle) {
  const Scratch scratch;
  SqliteUse use(scratch / "db", {.idle = std::chrono::milliseconds(100), .checkpoint_pages = 50});
  for (std::int64_t id = 0; id < 200; ++id) {
    ASSERT_EQ(rule(use.write(add_line(id, std::string(4000, 'x')))), "ok");
  }
  const auto log = (scratch / "db-wal").string();
  const auto size = [&] { return std::filesystem::file_size(log); };
  EXPECT_LT(size(), 100 * 4200U) << "200 lines of a page each went through it";
  EXPECT_TRUE(use.until([&] { return size() == 0; }));
}

TEST(SqliteWriter, TheLastOneToCloseLeavesOneFileAndItsLock) {
  const Scratch scratch;
  {
    SqliteUse use(scratch / "db");
    ASSERT_EQ(rule(use.write(add_line(1))), "ok");
    ASSERT_EQ(use.number("SELECT count(*) FROM line"), 1);
  }
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"db", "db.lock"}));
}

// A coroutine that waits for an answer is the last owner of the database.
TEST(SqliteWriter, ALoopThatGoesWhileSomethingIsWrittenTakesAllAlong) {
  const Scratch scratch;
  for (int round = 0; round < 20; ++round) {
    os::Loop loop;
    auto database = open_sqlite(loop, {.at = scratch / "db", .schemas = {lines()}});
    for (std::int64_t id = 0; id < 5; ++id) {
      loop.spawn([database, id, round]() -> boost::asio::awaitable<void> {
        const auto done = co_await database->write(add_line(100 * round + id));
        EXPECT_TRUE(done || done.error().rule == "store.unavailable");
      });
    }
    database.reset();
    loop.context().poll();
  }
  SqliteUse use(scratch / "db");
  EXPECT_EQ(use.word("PRAGMA integrity_check"), "ok");
}

}  // namespace
}  // namespace helve::store::testing
