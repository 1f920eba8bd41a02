// The file itself: who may read it, what it is made from, and what is never done to it.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <fstream>

#include "os/testing/scratch.h"
#include "store/detail/sqlite_connection.h"
#include "store/testing/sqlite_use.h"

namespace helve::store::testing {
namespace {

using os::testing::Scratch;
namespace fs = std::filesystem;

unsigned mode_of(const fs::path& path) {
  return static_cast<unsigned>(fs::status(path).permissions());
}

// A database with `count` lines, closed.
void make(const fs::path& file, std::int64_t count, std::size_t version = 1) {
  SqliteUse use(file, {}, version);
  for (std::int64_t id = 1; id <= count; ++id) {
    ASSERT_EQ(rule(use.write(add_line(id, std::string(500, 'a')))), "ok");
  }
}

void run(const fs::path& file, const char* sql) {
  const auto db = SqliteConnection::open(file, Access::kWrite, "");
  ASSERT_TRUE(db);
  ASSERT_EQ(rule((*db)->script(sql)), "ok");
}

TEST(SqliteFile, Nt41IsMadeForItsOwnerAlone) {
  const Scratch scratch;
  SqliteUse use(scratch / "a" / "b" / "db");
  EXPECT_FALSE(fs::exists(scratch / "a")) << "nothing is opened before the first use";
  ASSERT_EQ(rule(use.write(add_line(1))), "ok");
  EXPECT_EQ(mode_of(scratch / "a"), 0700U);
  EXPECT_EQ(mode_of(scratch / "a" / "b"), 0700U);
  for (const char* name : {"db", "db-wal", "db-shm", "db.lock"}) {
    EXPECT_EQ(mode_of(scratch / "a" / "b" / name), 0600U) << name;
  }
}

TEST(SqliteFile, Nt36SaysWhatItIs) {
  const Scratch scratch;
  SqliteUse use(scratch / "db");
  EXPECT_EQ(use.word("SELECT value FROM meta WHERE key = 'schema.lines'"), "1");
  EXPECT_EQ(use.word("SELECT value FROM meta WHERE key = 'written_by'"), HELVE_VERSION);
  EXPECT_EQ(use.word("SELECT value FROM meta WHERE key = 'store_id'").size(), 16U);
  EXPECT_TRUE(use.word("SELECT value FROM meta WHERE key = 'created'").ends_with("Z"));
}

TEST(SqliteFile, Nt37HasTheSettingsOfTheSpec) {
  const Scratch scratch;
  SqliteUse use(scratch / "db");
  std::vector<std::int64_t> numbers;
  std::string mode;
  EXPECT_EQ(rule(use.write([&](Connection& connection) -> Result<void> {
              for (const char* name : {"synchronous", "foreign_keys", "trusted_schema",
                                       "cell_size_check", "wal_autocheckpoint"}) {
                const auto found = connection.run("PRAGMA " + std::string(name));
                numbers.push_back(integer(found->rows.at(0).at(0)));
              }
              mode = text(std::move(connection.run("PRAGMA journal_mode")->rows.at(0).at(0)));
              return {};
            })),
            "ok");
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{2, 1, 0, 1, 0}));
  EXPECT_EQ(mode, "wal");
}

TEST(SqliteFile, Nt41ANewerOneIsRefusedAndStaysAsItIs) {
  const Scratch scratch;
  make(scratch / "db", 3, 2);
  run(scratch / "db", "UPDATE meta SET value = '9.8.7' WHERE key = 'written_by'");
  run(scratch / "db", "PRAGMA wal_checkpoint(TRUNCATE)");
  const std::string before = scratch.read("db");
  {
    SqliteUse use(scratch / "db");
    const Result<void> written = use.write(add_line(9));
    ASSERT_EQ(rule(written), "store.newer");
    const auto& args = written.error().args;
    for (const auto& [name, value] : Texts{{"have", "2"}, {"known", "1"}, {"version", "9.8.7"}}) {
      EXPECT_NE(std::ranges::find(args, std::pair(name, value)), args.end()) << name;
    }
    EXPECT_EQ(rule(use.read([](Connection&) -> Result<void> { return {}; })), "store.newer");
  }
  EXPECT_EQ(scratch.read("db"), before);
}

TEST(SqliteFile, AnotherProgramsDatabaseIsLeftAlone) {
  const Scratch scratch;
  run(scratch.write("db", ""), "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)");
  const std::string before = scratch.read("db");
  {
    SqliteUse use(scratch / "db");
    EXPECT_EQ(rule(use.write(add_line(1))), "store.foreign");
  }
  EXPECT_EQ(scratch.read("db"), before);
}

TEST(SqliteFile, Nt41IsBroughtUpToDateInOneStepAfterABackup) {
  const Scratch scratch;
  make(scratch / "db", 3);
  EXPECT_EQ(scratch.names().size(), 2U) << "a new one needs no backup";
  {
    SqliteUse use(scratch / "db", {}, 2);
    EXPECT_EQ(use.number("SELECT id FROM more"), 7);
    EXPECT_EQ(use.number("SELECT count(*) FROM line"), 3);
  }
  const std::string backup = "db.before-" HELVE_VERSION;
  ASSERT_TRUE(fs::exists(scratch / backup));
  EXPECT_EQ(mode_of(scratch / backup), 0600U);
  SqliteUse old(scratch / backup);
  EXPECT_EQ(old.word("SELECT value FROM meta WHERE key = 'schema.lines'"), "1");
  EXPECT_EQ(old.number("SELECT count(*) FROM line"), 3);
}

TEST(SqliteFile, AStepThatFailsChangesNothing) {
  const Scratch scratch;
  make(scratch / "db", 3);
  run(scratch / "db", "CREATE TABLE more (in_the_way)");
  {
    SqliteUse use(scratch / "db", {}, 2);
    EXPECT_EQ(rule(use.write(add_line(9))), "store.unavailable");
  }
  EXPECT_FALSE(fs::exists(scratch / ("db.before-" HELVE_VERSION)));
  SqliteUse use(scratch / "db");
  EXPECT_EQ(use.word("SELECT value FROM meta WHERE key = 'schema.lines'"), "1");
  EXPECT_EQ(use.number("SELECT count(*) FROM line"), 3);
}

// Overwrites the page that holds the lines, or its index, and says which.
void damage(const fs::path& file, std::size_t page) {
  std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(static_cast<std::streamoff>((page - 1) * 4096));
  out << std::string(4096, '\x5A');
}

TEST(SqliteFile, Nt40DamageIsSaidAndReadingGoesOn) {
  const Scratch scratch;
  make(scratch / "db", 300);
  std::size_t page = 0;
  {
    SqliteUse use(scratch / "db");
    page = static_cast<std::size_t>(
        use.number("SELECT rootpage FROM sqlite_master WHERE name = 'line_said'"));
  }
  damage(scratch / "db", page);
  const std::string before = scratch.read("db");
  {
    SqliteUse use(scratch / "db");
    EXPECT_EQ(rule(use.write(add_line(1000))), "store.damaged");
    EXPECT_EQ(rule(use.write([](Connection&) -> Result<void> { return {}; })), "store.damaged");
    EXPECT_EQ(use.number("SELECT count(*) FROM line NOT INDEXED"), 300);
    ASSERT_TRUE(use.until([&] { return !use.remarks.empty(); }));
    EXPECT_EQ(use.remarks.front().rule, "store.damaged");
  }
  EXPECT_EQ(scratch.read("db"), before) << "never replaced";
}

TEST(SqliteFile, Nt40AFileThatIsNoDatabaseIsNotReplaced) {
  const Scratch scratch;
  const std::string before(10'000, 'n');
  scratch.write("db", before);
  {
    SqliteUse use(scratch / "db");
    EXPECT_EQ(rule(use.write(add_line(1))), "store.damaged");
    EXPECT_EQ(use.word("SELECT 1"), "store.damaged");
  }
  EXPECT_EQ(scratch.read("db"), before);
}

TEST(SqliteFile, Nt40AfterAnUncleanEndAllIsLookedAtInTheBackground) {
  const Scratch scratch;
  make(scratch / "db", 300);
  std::size_t page = 0;
  {
    SqliteUse use(scratch / "db");
    page = static_cast<std::size_t>(
        use.number("SELECT rootpage FROM sqlite_master WHERE name = 'line_said'"));
  }
  damage(scratch / "db", page);
  {
    SqliteUse use(scratch / "db");
    EXPECT_EQ(use.number("SELECT count(*) FROM line NOT INDEXED"), 300);
    use.until([&] { return !use.remarks.empty(); }, std::chrono::milliseconds(300));
    EXPECT_TRUE(use.remarks.empty()) << "it had been closed, so nobody looks";
  }
  // What a process leaves that was killed: a log with something in it.
  run(scratch / "db", "PRAGMA user_version = 1");
  ASSERT_GT(fs::file_size(scratch / "db-wal"), 0U);
  SqliteUse use(scratch / "db");
  EXPECT_EQ(use.number("SELECT count(*) FROM line NOT INDEXED"), 300);
  ASSERT_TRUE(use.until([&] { return !use.remarks.empty(); }));
  EXPECT_EQ(use.remarks.front().rule, "store.damaged");
  EXPECT_EQ(rule(use.write(add_line(1000))), "store.damaged");
}

TEST(SqliteFile, AReadOnlyFolderCanBeReadFrom) {
  if (!os::testing::is_root()) GTEST_SKIP() << "needs root, to become somebody else";
  const Scratch scratch;
  make(scratch / "db", 3);
  fs::permissions(scratch / "db", fs::perms(0644));
  EXPECT_EQ(os::testing::as_nobody([&] {
              SqliteUse use(scratch / "db");
              const std::string found = std::to_string(use.number("SELECT count(*) FROM line"));
              return found + " " + rule(use.write(add_line(9))) + " " +
                     rule(use.write(add_line(9)));
            }),
            "3 store.read_only store.read_only");
  EXPECT_EQ(os::testing::as_nobody([&] {
              SqliteUse use(scratch / "other");
              return use.word("SELECT 1") + " " + rule(use.write(add_line(9)));
            }),
            "store.read_only store.read_only");
}

TEST(SqliteFile, AFullDiskIsSaidAndNothingIsLost) {
  if (!os::testing::can_mount()) GTEST_SKIP() << "needs the right to mount";
  const Scratch scratch;
  EXPECT_EQ(os::testing::with_mounts([&]() -> std::string {
              if (::mount("none", scratch.path().c_str(), "tmpfs", 0, "size=400k") != 0)
                return "no tmpfs";
              SqliteUse use(scratch / "db");
              std::int64_t acknowledged = 0;
              std::string last;
              for (std::int64_t id = 1; id < 1000; ++id) {
                last = rule(use.write(add_line(id, std::string(3000, 'x'))));
                if (last != "ok") break;
                ++acknowledged;
              }
              const bool some = acknowledged > 5;
              const bool all = use.number("SELECT count(*) FROM line") == acknowledged;
              return last + (some ? " some" : " none") + (all ? " all" : " lost") + " " +
                     use.word("PRAGMA integrity_check");
            }),
            "store.full some all ok");
}

TEST(SqliteFile, Nt39OnANetworkFileSystemOneAtATimeUsesItWithoutWal) {
  const Scratch scratch;
  const SqliteOptions remote{.remote = [](const std::string&) { return true; },
                             .patience = std::chrono::milliseconds(200)};
  {
    SqliteUse use(scratch / "db", remote);
    ASSERT_EQ(rule(use.write(add_line(1))), "ok");
    EXPECT_EQ(use.word("PRAGMA journal_mode"), "delete");
    EXPECT_FALSE(fs::exists(scratch / "db-wal"));
    ASSERT_TRUE(use.until([&] { return !use.remarks.empty(); }));
    EXPECT_EQ(use.remarks.front().rule, "store.remote");
    SqliteUse other(scratch / "db", remote);
    EXPECT_EQ(rule(other.write(add_line(2))), "store.unavailable");
    EXPECT_EQ(other.word("SELECT 1"), "store.unavailable");
  }
  SqliteUse next(scratch / "db", remote);
  EXPECT_EQ(next.number("SELECT count(*) FROM line"), 1);
}

TEST(SqliteFile, Nt39TheFileSystemHereIsNoRemoteOne) {
  const Scratch scratch;
  EXPECT_FALSE(is_remote(scratch.path()));
  EXPECT_FALSE(is_remote(scratch / "missing"));
}

TEST(SqliteFile, Nt41ABackupIsADatabaseOfItsOwn) {
  const Scratch scratch;
  SqliteUse use(scratch / "db");
  ASSERT_EQ(rule(use.write(add_line(1))), "ok");
  const fs::path file = scratch / "copy";
  EXPECT_EQ(rule(use.wait(use.database().backup(file))), "ok");
  ASSERT_EQ(rule(use.write(add_line(2))), "ok");
  EXPECT_EQ(mode_of(file), 0600U);
  EXPECT_EQ(rule(use.wait(use.database().backup(file))), "store.backup_exists");
  EXPECT_EQ(rule(use.wait(use.database().backup(scratch / "no" / "folder"))),
            "store.backup_failed");
  SqliteUse copy(file);
  EXPECT_EQ(copy.number("SELECT count(*) FROM line"), 1);
  EXPECT_EQ(copy.word("PRAGMA integrity_check"), "ok");
  for (const std::string& name : scratch.names()) EXPECT_FALSE(name.ends_with(".tmp")) << name;
}

TEST(SqliteFile, OneThatIsMovedAwayIsNotWrittenTo) {
  const Scratch scratch;
  SqliteUse use(scratch / "db");
  ASSERT_EQ(rule(use.write(add_line(1))), "ok");
  fs::rename(scratch / "db", scratch / "moved");
  EXPECT_EQ(rule(use.write(add_line(2))), "store.unavailable");
  fs::rename(scratch / "moved", scratch / "db");
  EXPECT_EQ(rule(use.write(add_line(3))), "ok");
  EXPECT_EQ(use.number("SELECT count(*) FROM line"), 2);
}

TEST(SqliteFile, ALockFileThatIsTidiedAwayIsMadeAgain) {
  const Scratch scratch;
  SqliteUse use(scratch / "db");
  ASSERT_EQ(rule(use.write(add_line(1))), "ok");
  fs::remove(scratch / "db.lock");
  ASSERT_EQ(rule(use.write(add_line(2))), "ok");
  EXPECT_TRUE(fs::exists(scratch / "db.lock"));
}

TEST(SqliteFile, ANameMayHoldAnything) {
  const Scratch scratch;
  const std::string name = "a?mode=memory#%41 ü.db";
  SqliteUse use(scratch / name);
  ASSERT_EQ(rule(use.write(add_line(1))), "ok");
  EXPECT_TRUE(fs::exists(scratch / name));
}

}  // namespace
}  // namespace helve::store::testing
