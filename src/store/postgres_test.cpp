// What is PostgreSQL's own: repeats, limits of time, notifications, several processes (NT-46). What
// it has in common with SQLite is in database_test.cpp, what goes wrong in
// postgres_faults_test.cpp.
#include "store/detail/postgres.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "base/texts.h"
#include "os/testing/scratch.h"
#include "store/testing/on_loop.h"
#include "store/testing/postgres_cluster.h"

namespace helve::store {
namespace {

using boost::asio::awaitable;
using testing::read;
using testing::rows;
using testing::run_all;
using testing::write;

constexpr Step kSteps[] = {{"",
                            "CREATE TABLE pair (id TEXT PRIMARY KEY, n BIGINT NOT NULL);"
                            "INSERT INTO pair VALUES ('a', 0), ('b', 0)"}};

class Postgres : public ::testing::Test {
 protected:
  void SetUp() override {
    HELVE_NEEDS_POSTGRES();
    at_ = testing::PostgresCluster::shared().fresh_database();
  }
  std::shared_ptr<Database> open(os::Loop& loop) const {
    return open_postgres(loop, {.at = at_, .schemas = {{"pairs", kSteps}}});
  }
  std::int64_t number(Database& database, std::string id) {
    const auto found = rows(loop_, database, "SELECT n FROM pair WHERE id = $1", {std::move(id)});
    return found ? integer(found->at(0).at(0)) : -1;
  }

  os::Loop loop_;
  std::string at_;
};

Result<void> run(Connection& connection, std::string_view sql, std::vector<Value> values = {}) {
  const auto done = connection.run(sql, values);
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<void> add_one(Connection& connection, const char* id) {
  return run(connection, "UPDATE pair SET n = n + 1 WHERE id = $1", {id});
}

TEST_F(Postgres, ItsTablesAreInASchemaOfTheirOwn) {
  const auto database = open(loop_);
  const auto found =
      rows(loop_, *database,
           "SELECT string_agg(schemaname || '.' || tablename, ' ' ORDER BY tablename)"
           " FROM pg_tables WHERE tablename IN ('meta', 'pair')");
  ASSERT_TRUE(found) << render_text(found.error());
  EXPECT_EQ(*found, (std::vector<Row>{{"helve.meta helve.pair"}}));
  EXPECT_THAT(database->where(), ::testing::StartsWith("PostgreSQL, /"));
}

TEST_F(Postgres, ASessionIsSetUpForDurableWrites) {
  const auto database = open(loop_);
  const auto found = rows(loop_, *database,
                          "SELECT name || '=' || setting FROM pg_settings WHERE name IN"
                          " ('synchronous_commit', 'client_encoding', 'statement_timeout',"
                          " 'application_name', 'fsync', 'transaction_isolation',"
                          " 'transaction_read_only') ORDER BY name");
  ASSERT_TRUE(found) << render_text(found.error());
  std::vector<std::string> settings;
  for (const Row& row : *found) settings.push_back(std::get<std::string>(row[0]));
  EXPECT_THAT(settings, ::testing::ElementsAre(
                            "application_name=helve", "client_encoding=UTF8", "fsync=on",
                            "statement_timeout=5000", "synchronous_commit=on",
                            "transaction_isolation=repeatable read", "transaction_read_only=on"));
}

TEST_F(Postgres, ABackupIsTheServersBusiness) {
  const auto database = open(loop_);
  Result<void> done;
  run_all(loop_, {[&]() -> awaitable<void> { done = co_await database->backup("/nowhere/x"); }});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().rule, "store.backup_elsewhere");
}

// NT-46: 40001 and 40P01 are retried up to 5 times.
TEST_F(Postgres, WhatTheServerWantsAgainIsDoneAgainFromItsBeginning) {
  constexpr const char* kRaise = "DO $$ BEGIN RAISE SQLSTATE '40001'; END $$";
  for (const int failures : {0, 1, 5, 6}) {
    SCOPED_TRACE("NT-46 failures: " + std::to_string(failures));
    const auto database = open(loop_);
    const std::int64_t before = number(*database, "a");
    int runs = 0;
    const auto done = write(loop_, *database, [&](Connection& connection) -> Result<void> {
      if (auto added = add_one(connection, "a"); !added) return added;
      return ++runs <= failures ? run(connection, kRaise) : Result<void>();
    });
    EXPECT_EQ(done.has_value(), failures <= 5);
    EXPECT_EQ(runs, std::min(failures + 1, 6));
    EXPECT_EQ(number(*database, "a"), before + (failures <= 5 ? 1 : 0));
  }
}

TEST_F(Postgres, OfTwoThatWaitForEachOtherBothSucceed) {  // NT-46: 40P01
  const auto database = open(loop_);
  ASSERT_EQ(number(*database, "a"), 0);
  std::atomic<int> begun = 0, runs = 0;
  const auto both = [&](const char* first, const char* second) -> awaitable<void> {
    const auto done = co_await database->write([&](Connection& connection) -> Result<void> {
      ++runs;
      if (auto added = add_one(connection, first); !added) return added;
      ++begun;
      for (int i = 0; i < 200 && begun < 2; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      return add_one(connection, second);
    });
    EXPECT_TRUE(done) << render_text(done.error());
  };
  run_all(loop_, {[&] { return both("a", "b"); }, [&] { return both("b", "a"); }});
  EXPECT_GT(runs, 2);
  EXPECT_EQ(number(*database, "a"), 2);
  EXPECT_EQ(number(*database, "b"), 2);
}

TEST_F(Postgres, AWorkThatPassesOverARefusalIsRefusedAllTheSame) {
  const auto database = open(loop_);
  const auto done = write(loop_, *database, [&](Connection& connection) -> Result<void> {
    if (auto added = add_one(connection, "a"); !added) return added;
    EXPECT_FALSE(run(connection, "SELECT 1 FROM no_such_table"));
    EXPECT_FALSE(add_one(connection, "b")) << "the transaction is over";
    return {};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().rule, "store.damaged");
  EXPECT_EQ(number(*database, "a"), 0);
}

TEST_F(Postgres, AStatementEndsAfterFiveSeconds) {  // NT-46: statement timeout 5 s
  const auto database = open(loop_);
  const auto began = Clock::now();
  const auto slept = rows(loop_, *database, "SELECT pg_sleep(60)");
  ASSERT_FALSE(slept);
  EXPECT_EQ(slept.error().rule, "store.unavailable");
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(25));
  EXPECT_EQ(number(*database, "a"), 0) << "the connection goes on";
}

TEST_F(Postgres, OnlyWhatChangedSomethingIsTold) {  // NT-46: NOTIFY
  const auto database = open(loop_);
  const auto other = open(loop_);
  int heard = 0;
  database->on_change([&] { ++heard; });
  ASSERT_EQ(number(*database, "a"), 0);
  ASSERT_TRUE(write(loop_, *other, "UPDATE pair SET n = 1 WHERE id = 'nobody'"));
  EXPECT_FALSE(write(loop_, *other, [](Connection& connection) -> Result<void> {
    if (auto added = add_one(connection, "a"); !added) return added;
    return refuse("test.no");
  }));
  testing::until(loop_, [] { return false; }, std::chrono::milliseconds(300));
  EXPECT_EQ(heard, 0);
  ASSERT_TRUE(write(loop_, *other, [](Connection& c) { return add_one(c, "a"); }));
  EXPECT_TRUE(testing::until(loop_, [&] { return heard > 0; }));
}

TEST_F(Postgres, ManyCallsShareSixteenConnections) {  // NT-46: pool 4-16 per process
  const auto database = open(loop_);
  std::atomic<int> now = 0, most = 0;
  const auto look = [&]() -> awaitable<void> {
    const auto done = co_await database->read([&](Connection& connection) -> Result<void> {
      const int here = ++now;
      for (int seen = most; seen < here && !most.compare_exchange_weak(seen, here);) {
      }
      auto slept = run(connection, "SELECT pg_sleep(0.05)");
      --now;
      return slept;
    });
    EXPECT_TRUE(done) << render_text(done.error());
  };
  run_all(loop_, std::vector<std::function<awaitable<void>()>>(64, look));
  EXPECT_EQ(most, 16);
}

// Compare and set, as notes do it; the number of times it was this process's turn.
std::string add_many(const std::string& at, int times) {
  os::Loop loop;
  const auto database = open_postgres(loop, {.at = at, .schemas = {{"pairs", kSteps}}});
  int refused = 0;
  for (int won = 0; won < times && refused == 0;) {
    std::int64_t changed = 0;
    const auto done = write(loop, *database, [&](Connection& connection) -> Result<void> {
      const auto before = connection.run("SELECT n FROM pair WHERE id = 'a'");
      if (!before) return std::unexpected(before.error());
      const auto set = connection.run("UPDATE pair SET n = $1 + 1 WHERE id = 'a' AND n = $1",
                                      {before->rows[0][0]});
      if (!set) return std::unexpected(set.error());
      changed = set->changed;
      return {};
    });
    if (done && changed == 1) ++won;
    if (!done) ++refused;
  }
  return refused == 0 ? "all" : "refused";
}

TEST_F(Postgres, ThreeProcessesCountWithoutAGap) {  // NT-46, NT-25
  int said[3][2];
  std::vector<pid_t> children;
  for (auto& ends : said) {
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const std::string how = add_many(at_, 100);
      ::_exit(::write(ends[1], how.data(), how.size()) > 0 ? 0 : 1);
    }
    ::close(ends[1]);
    children.push_back(child);
  }
  for (std::size_t i = 0; i < children.size(); ++i) {
    char how[16] = {};
    EXPECT_GT(::read(said[i][0], how, sizeof how - 1), 0);
    EXPECT_STREQ(how, "all");
    ::close(said[i][0]);
    ::waitpid(children[i], nullptr, 0);
  }
  EXPECT_EQ(number(*open(loop_), "a"), 300);
}

}  // namespace
}  // namespace helve::store
