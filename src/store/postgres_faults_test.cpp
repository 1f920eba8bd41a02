// The server goes away while it is used: stopped, killed, hanging. What was acknowledged is there,
// nothing is there twice, and it goes on by itself (NT-46; notes.md section 13, 6).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <set>
#include <thread>

#include "base/texts.h"
#include "store/detail/postgres.h"
#include "store/testing/on_loop.h"
#include "store/testing/postgres_cluster.h"

namespace helve::store {
namespace {

using boost::asio::awaitable;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::PostgresCluster;
using testing::rows;
using testing::run_all;
using testing::write;

// No key: what is written twice would be there twice.
constexpr Step kSteps[] = {{"", "CREATE TABLE mark (id BIGINT NOT NULL)"}};

Result<void> insert(Connection& connection, std::int64_t id) {
  const auto done = connection.run("INSERT INTO mark (id) VALUES ($1)", {id});
  if (!done) return std::unexpected(done.error());
  return {};
}

class PostgresFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    HELVE_NEEDS_POSTGRES();
    at_ = cluster().fresh_database();
  }
  void TearDown() override {
    if (PostgresCluster::missing().empty()) cluster().start();
  }
  static PostgresCluster& cluster() { return PostgresCluster::shared(); }
  std::shared_ptr<Database> open(os::Loop& loop) const {
    return open_postgres(loop, {.at = at_, .schemas = {{"marks", kSteps}}});
  }
  Result<void> mark(Database& database, std::int64_t id) {
    return write(loop_, database, [id](Connection& connection) { return insert(connection, id); });
  }
  std::multiset<std::int64_t> marks(Database& database) {
    const auto found = rows(loop_, database, "SELECT id FROM mark");
    EXPECT_TRUE(found) << render_text(found.error());
    std::multiset<std::int64_t> ids;
    for (const Row& row : found.value_or(std::vector<Row>())) ids.insert(integer(row[0]));
    return ids;
  }

  os::Loop loop_;
  std::string at_;
};

// Writers that note for each mark what they were told.
struct Load {
  std::set<std::int64_t> kept, undone, unknown;
  Duration slowest{};
  bool ended = false;
};

awaitable<void> keep_writing(Database& database, Load& load, std::int64_t& next) {
  while (!load.ended) {
    const std::int64_t id = ++next;
    const auto began = Clock::now();
    const auto done =
        co_await database.write([id](Connection& connection) { return insert(connection, id); });
    load.slowest = std::max(load.slowest, Clock::now() - began);
    if (done) {
      load.kept.insert(id);
      continue;
    }
    EXPECT_EQ(done.error().rule, "store.unavailable") << render_text(done.error());
    const Json* unknown = find(done.error().details, "unknown");
    (unknown != nullptr ? load.unknown : load.undone).insert(id);
    co_await os::Loop::sleep(milliseconds(20));
  }
}

// Does `harm` to the server under load, waits for writes after it, and holds what was told against
// what is there.
class UnderLoad {
 public:
  UnderLoad(os::Loop& loop, Database& database) : loop_(loop), database_(database) {}

  void suffer(const std::function<void()>& harm) {
    std::vector<std::function<awaitable<void>()>> all(
        8, [this] { return keep_writing(database_, load, next_); });
    all.emplace_back([this, &harm] { return harmed(harm); });
    run_all(loop_, std::move(all));
  }
  void expect_told_truly(const std::multiset<std::int64_t>& there) const {
    for (const std::int64_t id : load.kept) EXPECT_EQ(there.count(id), 1U) << id << " was kept";
    for (const std::int64_t id : load.undone) EXPECT_EQ(there.count(id), 0U) << id << " was undone";
    for (const std::int64_t id : load.unknown) EXPECT_LE(there.count(id), 1U) << id;
  }
  Load load;

 private:
  awaitable<void> harmed(const std::function<void()>& harm) {
    while (load.kept.size() < 50) co_await os::Loop::sleep(milliseconds(5));
    co_await loop_.on_pool(harm);
    const std::size_t before = load.kept.size();
    const auto latest = Clock::now() + seconds(120);
    while (load.kept.size() < before + 50 && Clock::now() < latest) {
      co_await os::Loop::sleep(milliseconds(5));
    }
    EXPECT_GE(load.kept.size(), before + 50) << "it goes on by itself";
    load.ended = true;
  }

  os::Loop& loop_;
  Database& database_;
  std::int64_t next_ = 0;
};

TEST_F(PostgresFaults, ARestartBetweenTwoWritesIsNotNoticed) {
  const auto database = open(loop_);
  ASSERT_TRUE(mark(*database, 1));
  cluster().stop();
  cluster().start();
  const auto done = mark(*database, 2);
  EXPECT_TRUE(done) << render_text(done.error());
  EXPECT_EQ(marks(*database), (std::multiset<std::int64_t>{1, 2}));
}

// NT-46: unreachable: refused; nothing is queued, nothing is answered from memory.
TEST_F(PostgresFaults, WithoutAServerItIsRefusedAtOnceAndWorksAgainByItself) {
  const auto database = open(loop_);
  ASSERT_TRUE(mark(*database, 1));
  cluster().stop();
  const auto began = Clock::now();
  const auto done = mark(*database, 2);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().rule, "store.unavailable");
  EXPECT_EQ(done.error().details, Json(nullptr)) << "it is known that nothing was written";
  EXPECT_FALSE(rows(loop_, *database, "SELECT id FROM mark"));
  EXPECT_LT(Clock::now() - began, seconds(25));
  cluster().start();
  ASSERT_TRUE(mark(*database, 3));
  EXPECT_EQ(marks(*database), (std::multiset<std::int64_t>{1, 3}));
}

TEST_F(PostgresFaults, AnAddressWithoutAServerIsRefusedWithoutItsPassword) {
  for (const char* place : {"127.0.0.1:1/db", "/db?host=/nowhere"}) {
    const auto database = open_postgres(
        loop_, {.at = "postgresql://me:hush-hush@" + std::string(place), .schemas = {}});
    const auto done = mark(*database, 1);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().rule, "store.unavailable");
    EXPECT_THAT(render_text(done.error()), ::testing::Not(::testing::HasSubstr("hush")));
  }
}

TEST_F(PostgresFaults, RestartedUnderLoadItLosesAndDoublesNothing) {
  const auto database = open(loop_);
  UnderLoad writers(loop_, *database);
  writers.suffer([] {
    cluster().stop();
    std::this_thread::sleep_for(milliseconds(300));
    cluster().start();
  });
  writers.expect_told_truly(marks(*database));
}

// NT-46: no acknowledged write lost, none doubled.
TEST_F(PostgresFaults, KilledInMidWriteItLosesAndDoublesNothing) {
  const int rounds = std::getenv("HELVE_ALL") == nullptr ? 3 : 20;
  for (int round = 0; round < rounds; ++round) {
    at_ = cluster().fresh_database();
    const auto database = open(loop_);
    UnderLoad writers(loop_, *database);
    writers.suffer([] {
      cluster().crash();
      cluster().start();
    });
    writers.expect_told_truly(marks(*database));
    std::printf("kept %zu, undone %zu, unknown %zu\n", writers.load.kept.size(),
                writers.load.undone.size(), writers.load.unknown.size());
  }
}

TEST_F(PostgresFaults, WhereSessionsHangItIsRefusedInTime) {
  const auto database = open(loop_);
  UnderLoad writers(loop_, *database);
  writers.suffer([] {
    cluster().signal_sessions(SIGSTOP);
    std::this_thread::sleep_for(seconds(8));
    cluster().signal_sessions(SIGCONT);
  });
  EXPECT_FALSE(writers.load.undone.empty() && writers.load.unknown.empty());
  EXPECT_LT(writers.load.slowest, seconds(60)) << "6 s for one answer, at most twice, less load";
  // A commit that hung may still come through after its writer was told that nobody knows.
  testing::until(loop_, [] { return false; }, milliseconds(500));
  writers.expect_told_truly(marks(*database));
}

// NT-15, NT-17: the caller then finds out by its call's id.
TEST_F(PostgresFaults, ACommitWithoutAnAnswerIsSaidToBeUnknownAndNotRepeated) {
  const auto database = open(loop_);
  ASSERT_TRUE(marks(*database).empty());
  int runs = 0;
  pid_t session = 0;
  const auto done = write(loop_, *database, [&](Connection& connection) -> Result<void> {
    ++runs;
    const auto found = connection.run("SELECT pg_backend_pid()");
    if (!found) return std::unexpected(found.error());
    if (auto made = insert(connection, 1); !made) return made;
    session = static_cast<pid_t>(integer(found->rows.at(0).at(0)));
    ::kill(session, SIGSTOP);
    return {};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().rule, "store.unavailable");
  EXPECT_EQ(done.error().details, (Json{{"unknown", true}}));
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(marks(*database).empty());
  ::kill(session, SIGCONT);
  const auto latest = Clock::now() + seconds(30);
  while (marks(*database).empty() && Clock::now() < latest) {
  }
  EXPECT_EQ(marks(*database), (std::multiset<std::int64_t>{1})) << "it came through after all";
}

TEST_F(PostgresFaults, ClosingDoesNotWaitForAServerThatHangs) {
  auto loop = std::make_unique<os::Loop>();
  auto database = open(*loop);
  ASSERT_TRUE(write(*loop, *database, "INSERT INTO mark VALUES (1)"));
  cluster().signal_sessions(SIGSTOP);
  bool ended = false;
  loop->spawn([&ended, database]() -> awaitable<void> {
    const auto done =
        co_await database->write([](Connection& connection) { return insert(connection, 2); });
    ended = done || !done;
  });
  loop->context().run_for(milliseconds(100));
  EXPECT_FALSE(ended);
  const auto began = Clock::now();
  database.reset();
  loop.reset();
  EXPECT_LT(Clock::now() - began, seconds(25));
  cluster().signal_sessions(SIGCONT);
}

TEST_F(PostgresFaults, AfterAReconnectItHearsOnceSinceItMayHaveMissedSomething) {
  const auto database = open(loop_);
  int heard = 0;
  database->on_change([&] { ++heard; });
  ASSERT_TRUE(marks(*database).empty());
  cluster().stop();
  cluster().start();
  EXPECT_TRUE(testing::until(loop_, [&] { return heard > 0; }));
  EXPECT_EQ(heard, 1);
  os::Loop elsewhere;
  ASSERT_TRUE(write(elsewhere, *open(elsewhere), "INSERT INTO mark VALUES (1)"));
  EXPECT_TRUE(testing::until(loop_, [&] { return heard > 1; })) << "and listens again";
}

}  // namespace
}  // namespace helve::store
