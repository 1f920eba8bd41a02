// What both kinds of database promise, on each of them (NT-45).
#include "store/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>

#include "base/texts.h"
#include "os/testing/scratch.h"
#include "store/testing/on_loop.h"
#include "store/testing/postgres_cluster.h"

namespace helve::store {
namespace {

using boost::asio::awaitable;
using ::testing::ElementsAre;
using testing::read;
using testing::rows;
using testing::run_all;
using testing::write;

constexpr Step kFirst = {
    "CREATE TABLE thing (id INTEGER PRIMARY KEY, n INTEGER, f REAL, t TEXT) STRICT;"
    "CREATE TABLE counter (n INTEGER NOT NULL) STRICT; INSERT INTO counter VALUES (0)",
    "CREATE TABLE thing (id BIGINT PRIMARY KEY, n BIGINT, f DOUBLE PRECISION, t TEXT);"
    "CREATE TABLE counter (n BIGINT NOT NULL); INSERT INTO counter VALUES (0)"};
constexpr Step kSecond = {"ALTER TABLE thing ADD COLUMN more TEXT NOT NULL DEFAULT 'no'",
                          "ALTER TABLE thing ADD COLUMN more TEXT NOT NULL DEFAULT 'no'"};
constexpr Step kOld[] = {kFirst};
constexpr Step kNew[] = {kFirst, kSecond};
constexpr Step kOther[] = {
    {"CREATE TABLE other (x INTEGER) STRICT", "CREATE TABLE other (x INTEGER)"}};

class Databases : public ::testing::TestWithParam<Dialect> {
 protected:
  void SetUp() override {
    if (GetParam() == Dialect::kPostgres) HELVE_NEEDS_POSTGRES();
    at_ = GetParam() == Dialect::kPostgres ? testing::PostgresCluster::shared().fresh_database()
                                           : (scratch_ / "state" / "store.db").string();
  }
  std::shared_ptr<Database> open(os::Loop& loop, std::span<const Step> steps = kOld) const {
    return store::open(loop, {.at = at_, .schemas = {{"things", steps}}});
  }
  std::shared_ptr<Database> open() { return open(loop_); }
  std::int64_t count(Database& database) {
    const auto found = rows(loop_, database, "SELECT count(*) FROM thing");
    return found ? integer(found->at(0).at(0)) : -1;
  }

  os::testing::Scratch scratch_;
  os::Loop loop_;
  std::string at_;
};

INSTANTIATE_TEST_SUITE_P(Nt45, Databases, ::testing::Values(Dialect::kSqlite, Dialect::kPostgres),
                         [](const auto& info) {
                           return info.param == Dialect::kSqlite ? "Sqlite" : "Postgres";
                         });

TEST_P(Databases, WhatWasCommittedIsThereForTheNext) {
  {
    const auto database = open();
    EXPECT_EQ(database->dialect(), GetParam());
    ASSERT_TRUE(write(loop_, *database, "INSERT INTO thing (id, t) VALUES (1, 'kept')"));
  }
  const auto found = rows(loop_, *open(), "SELECT id, t FROM thing");
  ASSERT_TRUE(found) << render_text(found.error());
  EXPECT_EQ(*found, (std::vector<Row>{{std::int64_t{1}, "kept"}}));
}

TEST_P(Databases, ARefusalUndoesAllOfIt) {
  const auto database = open();
  const auto done = write(loop_, *database, [](Connection& connection) -> Result<void> {
    if (auto made = connection.run("INSERT INTO thing (id) VALUES (1)"); !made) {
      return std::unexpected(made.error());
    }
    return refuse("test.no", {}, {{"why", "so"}});
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error(), (Refusal{"test.no", {}, {{"why", "so"}}}));
  EXPECT_EQ(count(*database), 0);
}

TEST_P(Databases, ValuesOfEveryKindComeBackAsTheyWere) {
  const auto database = open();
  const std::vector<Row> all = {
      {Value(), Value(), Value()},
      {std::int64_t{0}, 0.5, ""},
      {std::numeric_limits<std::int64_t>::max(), 1e300, "it's \"quoted\" \\ and $1, ?, :x"},
      {std::numeric_limits<std::int64_t>::min(), -1.0 / 3,
       "\U0001F600 \u00e9 e\u0301 \u4e2d\r\n\t"},
      {std::int64_t{-1}, 2.0, std::string(1 << 20, 'x') + "\u00e9"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<Value> values = all[i];
    values.insert(values.begin(), static_cast<std::int64_t>(i));
    ASSERT_TRUE(
        write(loop_, *database, "INSERT INTO thing (id, n, f, t) VALUES ($1, $2, $3, $4)", values));
  }
  const auto found = rows(loop_, *database, "SELECT n, f, t FROM thing ORDER BY id");
  ASSERT_TRUE(found);
  EXPECT_TRUE(*found == all);
}

TEST_P(Databases, APlaceMayOccurSeveralTimes) {
  const auto database = open();
  const auto found =
      rows(loop_, *database, "SELECT n + $2, n - $1, $2 + n FROM counter WHERE $1 > n AND $2 > n",
           {std::int64_t{3}, std::int64_t{4}});
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::vector<Row>{{std::int64_t{4}, std::int64_t{-3}, std::int64_t{4}}}));
}

TEST_P(Databases, WhatSumsAndCountsAreWholeNumbers) {
  const auto database = open();
  ASSERT_TRUE(write(loop_, *database, "INSERT INTO thing (id, n) VALUES (1, 40), (2, 2)"));
  const auto found = rows(loop_, *database, "SELECT count(*), sum(n), max(n) FROM thing");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::vector<Row>{{std::int64_t{2}, std::int64_t{42}, std::int64_t{40}}}));
}

TEST_P(Databases, AStatementTellsHowManyRowsItTouched) {
  const auto database = open();
  std::vector<std::int64_t> changed;
  const auto done = write(loop_, *database, [&](Connection& connection) -> Result<void> {
    changed.clear();
    for (const char* sql : {"INSERT INTO thing (id, n) VALUES (1, 1), (2, 1), (3, 2)",
                            "UPDATE thing SET n = 5 WHERE n = 1 RETURNING id",
                            "DELETE FROM thing WHERE id = 7", "SELECT * FROM thing"}) {
      const auto one = connection.run(sql);
      if (!one) return std::unexpected(one.error());
      changed.push_back(one->changed);
    }
    return {};
  });
  ASSERT_TRUE(done) << render_text(done.error());
  EXPECT_THAT(changed, ElementsAre(3, 2, 0, 0));
}

TEST_P(Databases, AReaderSeesOneSnapshotAndWaitsForNobody) {
  const auto database = open();
  ASSERT_TRUE(write(loop_, *database, "INSERT INTO thing (id) VALUES (1)"));
  std::vector<std::int64_t> counts;
  Result<void> written = refuse("test.never");
  const auto done = read(loop_, *database, [&](Connection& connection) -> Result<void> {
    counts.clear();
    for (int look = 0; look < 2; ++look) {
      const auto found = connection.run("SELECT count(*) FROM thing");
      if (!found) return std::unexpected(found.error());
      counts.push_back(integer(found->rows[0][0]));
      if (look == 1) continue;
      std::thread([&] {  // meanwhile, as another program would
        os::Loop loop;
        written = write(loop, *open(loop), "INSERT INTO thing (id) VALUES (2)");
      })
          .join();
    }
    return {};
  });
  ASSERT_TRUE(done) << render_text(done.error());
  EXPECT_TRUE(written) << render_text(written.error());
  EXPECT_THAT(counts, ElementsAre(1, 1));
  EXPECT_EQ(count(*database), 2);
}

TEST_P(Databases, AReadCannotWrite) {
  const auto database = open();
  const auto done = read(loop_, *database, [](Connection& connection) -> Result<void> {
    const auto made = connection.run("INSERT INTO thing (id) VALUES (1)");
    if (!made) return std::unexpected(made.error());
    return {};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().rule, "store.read_only");
  EXPECT_EQ(count(*database), 0);
}

TEST_P(Databases, OfManyWritersNoneIsLost) {
  const auto database = open();
  int refused = 0;
  const auto add = [&]() -> awaitable<void> {
    for (int i = 0; i < 20; ++i) {
      const auto done = co_await database->write([](Connection& connection) -> Result<void> {
        const auto made = connection.run("UPDATE counter SET n = n + 1");
        if (!made) return std::unexpected(made.error());
        return {};
      });
      refused += done ? 0 : 1;
    }
  };
  run_all(loop_, std::vector<std::function<awaitable<void>()>>(25, add));
  EXPECT_EQ(refused, 0);
  const auto found = rows(loop_, *database, "SELECT n FROM counter");
  ASSERT_TRUE(found);
  EXPECT_EQ(integer(found->at(0).at(0)), 500);
}

TEST_P(Databases, HearsOfCommitsItsOwnAndThoseOfOthers) {
  const auto before = open();
  ASSERT_TRUE(write(loop_, *before, "INSERT INTO thing (id) VALUES (1)"));
  const auto database = open();
  const auto home = std::this_thread::get_id();
  int heard = 0;
  bool on_loop = true;
  database->on_change([&] {
    ++heard;
    on_loop = on_loop && std::this_thread::get_id() == home;
  });
  EXPECT_EQ(count(*database), 1);
  ASSERT_TRUE(write(loop_, *before, "INSERT INTO thing (id) VALUES (2)"));
  EXPECT_TRUE(testing::until(loop_, [&] { return heard > 0; })) << "of another's";
  testing::until(loop_, [] { return false; }, std::chrono::milliseconds(300));
  const int of_another = heard;
  ASSERT_TRUE(write(loop_, *database, "INSERT INTO thing (id) VALUES (3)"));
  EXPECT_TRUE(testing::until(loop_, [&] { return heard > of_another; })) << "of its own";
  EXPECT_TRUE(on_loop);
}

TEST_P(Databases, TablesAreBroughtUpToDateAndKeepWhatIsInThem) {
  ASSERT_TRUE(write(loop_, *open(), "INSERT INTO thing (id, t) VALUES (1, 'old')"));
  const auto database = open(loop_, kNew);
  const auto found = rows(loop_, *database, "SELECT t, more FROM thing");
  ASSERT_TRUE(found) << render_text(found.error());
  EXPECT_EQ(*found, (std::vector<Row>{{"old", "no"}}));
}

TEST_P(Databases, ANewerSchemaIsRefusedAndNotTouched) {
  ASSERT_TRUE(write(loop_, *open(loop_, kNew), "INSERT INTO thing (id, more) VALUES (1, 'new')"));
  const auto old = write(loop_, *open(), "DELETE FROM thing");
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().rule, "store.newer");
  EXPECT_THAT(render_text(old.error()), ::testing::HasSubstr("version 2"));
  const auto found = rows(loop_, *open(loop_, kNew), "SELECT more FROM thing");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (std::vector<Row>{{"new"}}));
}

TEST_P(Databases, ManyMayBringItUpToDateAtOnce) {
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      os::Loop loop;
      const auto done =
          write(loop, *open(loop, kNew), "INSERT INTO thing (id) VALUES ($1)", {Value(i)});
      EXPECT_TRUE(done) << render_text(done.error());
      good += done ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 4);
  EXPECT_EQ(count(*open(loop_, kNew)), 4);
}

TEST_P(Databases, SeveralCapabilitiesShareOne) {
  ASSERT_TRUE(write(loop_, *open(), "INSERT INTO thing (id) VALUES (1)"));
  const auto both =
      store::open(loop_, {.at = at_, .schemas = {{"things", kOld}, {"others", kOther}}});
  ASSERT_TRUE(write(loop_, *both, "INSERT INTO other VALUES (1)"));
  EXPECT_EQ(count(*both), 1);
  EXPECT_EQ(count(*open()), 1) << "that the other is there does not matter to one that knows less";
}

TEST_P(Databases, IsClosedWhileCallsAreWaiting) {
  auto database = open();
  for (int i = 0; i < 40; ++i) {
    loop_.spawn([database]() -> awaitable<void> {
      const auto done = co_await database->write([](Connection& connection) -> Result<void> {
        const auto made = connection.run("UPDATE counter SET n = n + 1");
        if (!made) return std::unexpected(made.error());
        return {};
      });
      if (!done) co_return;
    });
  }
  loop_.context().poll();
  database.reset();  // the coroutines are its last owners; they end with the loop
}

}  // namespace
}  // namespace helve::store
