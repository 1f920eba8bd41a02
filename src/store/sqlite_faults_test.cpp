// NT-40: whatever fails, and whenever: what was acknowledged is there, and nothing is half there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <set>

#include "os/testing/scratch.h"
#include "store/testing/fault_vfs.h"
#include "store/testing/sqlite_use.h"

namespace helve::store::testing {
namespace {

using os::testing::Scratch;

// Faults are made above the file system: where a real fsync costs nothing, all of them can be had.
class SqliteFaults : public ::testing::Test {
 protected:
  SqliteFaults() {
    if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 1);
  }
  ~SqliteFaults() override {
    before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR");
  }

 private:
  static std::optional<std::string> variable() {
    const char* value = std::getenv("TMPDIR");
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }
  const std::optional<std::string> before_ = variable();
};

constexpr std::int64_t kPairs = 6;

// Two lines that belong together.
Database::Work add_pair(std::int64_t id) {
  return [id](Connection& connection) -> Result<void> {
    if (auto done = add_line(id, std::string(2000, 'p'))(connection); !done) return done;
    return add_line(-id, std::string(2000, 'n'))(connection);
  };
}

struct Fate {
  std::set<std::int64_t> acknowledged;
  std::set<std::string> rules;
};

// With a short log, so that checkpoints are hit too.
Fate live(const std::filesystem::path& file) {
  Fate fate;
  SqliteUse use(file, {.vfs = FaultVfs::name(), .checkpoint_pages = 6});
  for (std::int64_t id = 1; id <= kPairs; ++id) {
    const std::string said = rule(use.write(add_pair(id)));
    fate.rules.insert(said);
    if (said == "ok") fate.acknowledged.insert(id);
  }
  return fate;
}

void expect_whole(const std::filesystem::path& file, const Fate& fate) {
  SqliteUse use(file);
  EXPECT_EQ(use.word("PRAGMA integrity_check"), "ok");
  for (const std::int64_t id : fate.acknowledged) {
    EXPECT_EQ(use.number("SELECT count(*) FROM line WHERE id = " + std::to_string(id)), 1) << id;
  }
  EXPECT_EQ(use.number("SELECT count(*) FROM line AS a WHERE NOT EXISTS"
                       " (SELECT 1 FROM line AS b WHERE b.id = -a.id)"),
            0)
      << "a half of a pair";
  EXPECT_EQ(use.number("SELECT count(*) FROM line"),
            static_cast<std::int64_t>(2 * fate.acknowledged.size()))
      << "what was refused is not there";
  EXPECT_EQ(rule(use.write(add_pair(1000))), "ok") << "all works again";
}

struct Case {
  const char* name;
  Fault fault;
  bool once;
  std::set<std::string> rules;
};
const Case kCases[] = {
    {"a short write", Fault::kShortWrite, true, {"ok", "store.unavailable"}},
    {"short writes from then on", Fault::kShortWrite, false, {"ok", "store.unavailable"}},
    {"no space once", Fault::kNoSpace, true, {"ok", "store.full"}},
    {"no space from then on", Fault::kNoSpace, false, {"ok", "store.full"}},
    {"a failing fsync", Fault::kSyncFails, true, {"ok", "store.unavailable"}},
    {"failing fsyncs from then on", Fault::kSyncFails, false, {"ok", "store.unavailable"}},
};

TEST_F(SqliteFaults, Nt40WhatWasAcknowledgedSurvivesEachOfThem) {
  FaultVfs& vfs = FaultVfs::get();
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    int at = 1;
    for (bool struck = true; struck && at < 1000; ++at) {
      SCOPED_TRACE(at);
      const Scratch scratch;
      vfs.plan(c.fault, at, c.once);
      const Fate fate = live(scratch / "db");
      struck = vfs.has_struck();
      vfs.clear();
      for (const std::string& rule : fate.rules) EXPECT_TRUE(c.rules.contains(rule)) << rule;
      if (!struck) EXPECT_EQ(fate.acknowledged.size(), static_cast<std::size_t>(kPairs));
      expect_whole(scratch / "db", fate);
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(at, 10);
    std::cout << c.name << ": " << at - 1 << " places\n";
  }
}

TEST_F(SqliteFaults, ACommitThatFailsFailsAllWhoShareIt) {
  const Scratch scratch;
  FaultVfs& vfs = FaultVfs::get();
  SqliteUse use(scratch / "db", {.vfs = FaultVfs::name()});
  ASSERT_EQ(rule(use.write(add_line(1000))), "ok");
  vfs.plan(Fault::kSyncFails, 1, true);
  std::vector<Database::Work> all;
  for (std::int64_t id = 1; id <= 8; ++id) all.push_back(add_line(id));
  const std::vector<std::string> rules = use.write_all(std::move(all));
  vfs.clear();
  const auto acknowledged = std::ranges::count(rules, "ok");
  EXPECT_EQ(acknowledged + std::ranges::count(rules, "store.unavailable"), 8);
  EXPECT_LT(acknowledged, 8);
  EXPECT_EQ(use.number("SELECT count(*) FROM line"), 1 + acknowledged);
}

}  // namespace
}  // namespace helve::store::testing
