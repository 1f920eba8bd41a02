// File work beside the loop: no session waits for another, none has too much under way, and the
// threads are fenced in (WS-8, WS-66, WS-92).
#include "workspace/workers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "os/testing/replacing.h"
#include "workspace/detail/fence.h"
#include "workspace/testing/grounds.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;
using testing::Grounds;

// A door that work waits at.
class Door {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void await(int waiting) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= waiting; });
  }
  int waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int waiting_ = 0;
};

struct Pool {
  explicit Pool(Reach reach = Reach::kOpen) : grounds(reach), workers(loop, grounds.settings) {}
  void spawn(const std::shared_ptr<tool::Session>& session, std::function<void()> work) {
    loop.spawn([this, session, work = std::move(work)]() -> boost::asio::awaitable<void> {
      co_await workers.run(*session, work);
    });
  }
  Grounds grounds;
  os::Loop loop;
  Workers workers;
  std::shared_ptr<tool::Session> mine = std::make_shared<tool::Session>();
  std::shared_ptr<tool::Session> other = std::make_shared<tool::Session>();
};

TEST(Workers, RunWorkBesideTheLoopAndComeBackToIt) {
  SCOPED_TRACE("WS-8 file work runs on the pool");
  Pool pool;
  std::thread::id worked, resumed;
  pool.loop.spawn([&]() -> boost::asio::awaitable<void> {
    co_await pool.workers.run(*pool.mine, [&] { worked = std::this_thread::get_id(); });
    resumed = std::this_thread::get_id();
  });
  pool.loop.run();
  EXPECT_NE(worked, std::thread::id());
  EXPECT_NE(worked, std::this_thread::get_id());
  EXPECT_EQ(resumed, std::this_thread::get_id());
}

TEST(Workers, AnExceptionOfTheWorkComesOut) {
  Pool pool;
  std::string caught;
  pool.loop.spawn([&]() -> boost::asio::awaitable<void> {
    try {
      co_await pool.workers.run(*pool.mine, [] { throw std::runtime_error("no"); });
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
  });
  pool.loop.run();
  EXPECT_EQ(caught, "no");
}

TEST(Workers, ASessionHasEightPiecesUnderWayAndTheOthersStillWork) {
  SCOPED_TRACE("WS-8 at most 8 calls in work, further ones queue; no session blocks another");
  Pool pool;
  Door door;
  std::atomic<int> done = 0;
  for (int i = 0; i < 20; ++i) {
    pool.spawn(pool.mine, [&] {
      door.pass();
      ++done;
    });
  }
  bool others_worked = false;
  int at_the_door = 0;
  pool.loop.spawn([&]() -> boost::asio::awaitable<void> {
    co_await pool.workers.run(*pool.other, [&] { door.await(8); });
    others_worked = true;
    at_the_door = door.waiting();
    door.open();
  });
  pool.loop.run();
  EXPECT_TRUE(others_worked);
  EXPECT_EQ(at_the_door, 8);
  EXPECT_EQ(done, 20);
}

TEST(Workers, WhatWaitsIsBegunInOrder) {
  SCOPED_TRACE("WS-8 further ones queue in order; WS-92");
  Pool pool;
  Door door;
  for (int i = 0; i < 7; ++i) pool.spawn(pool.mine, [&] { door.pass(); });
  std::vector<int> order;  // one at a time, through the eighth place
  for (int i = 0; i < 50; ++i) {
    pool.spawn(pool.mine, [&, i] {
      order.push_back(i);
      if (i == 49) door.open();
    });
  }
  pool.loop.run();
  std::vector<int> sorted(50);
  for (int i = 0; i < 50; ++i) sorted[static_cast<std::size_t>(i)] = i;
  EXPECT_EQ(order, sorted);
}

TEST(Workers, EndOnlyWhenTheWorkHasEnded) {
  SCOPED_TRACE("WS-8 a host that ends leaves no work half done");
  std::atomic<bool> finished = false;
  {
    Pool pool;
    std::string local = "in the coroutine's frame";
    pool.loop.spawn([&]() -> boost::asio::awaitable<void> {
      std::string kept = local;
      co_await pool.workers.run(*pool.mine, [&] {
        pool.loop.stop();
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        finished = kept == "in the coroutine's frame";
      });
    });
    pool.loop.run();
  }
  EXPECT_TRUE(finished);
}

// "opened", or the error's name.
std::string try_open(const fs::path& file, int flags) {
  const os::UniqueFd fd(::open(file.c_str(), flags | O_CLOEXEC, 0644));
  return fd ? "opened" : strerrorname_np(errno);
}

TEST(Workers, WithRootsTheThreadsAreFencedIn) {
  SCOPED_TRACE("WS-66 the pool threads are Landlocked to the roots: a second fence behind WS-20");
  Pool pool(Reach::kRoots);
  if (!pool.workers.fenced()) GTEST_SKIP() << "this kernel has no Landlock";
  const Grounds& grounds = pool.grounds;
  grounds.scratch.write("outside/secret", "x");
  grounds.scratch.write("env/a", "x");
  std::string outside, planted, etc, made, env, state;
  pool.loop.spawn([&]() -> boost::asio::awaitable<void> {
    co_await pool.workers.run(*pool.mine, [&] {
      outside = try_open(grounds.scratch / "outside/secret", O_RDONLY);
      planted = try_open(grounds.scratch / "outside/new", O_WRONLY | O_CREAT);
      etc = try_open("/etc/passwd", O_RDONLY);
      made = os::testing::describe(os::testing::replace(grounds.settings.root, "a", "text")) + " " +
             os::testing::describe(os::testing::replace(grounds.settings.root, "a", "again")) +
             " " + testing::describe_open(Paths(grounds.settings), "a");
      env = testing::describe_open(Paths(grounds.settings), "/env/a");
      state = try_open(grounds.settings.state / "lock", O_RDWR | O_CREAT);
    });
  });
  pool.loop.run();
  EXPECT_EQ(outside, "EACCES");
  EXPECT_EQ(planted, "EACCES");
  EXPECT_EQ(etc, "EACCES");
  EXPECT_EQ(made, "replaced replaced again");
  EXPECT_EQ(env, "x");
  EXPECT_EQ(state, "opened");
  EXPECT_EQ(try_open(grounds.scratch / "outside/secret", O_RDONLY), "opened");  // the loop is free
}

TEST(Workers, TheStateFolderOfAFirstStartIsWithinTheFence) {
  Grounds grounds(Reach::kRoots);
  grounds.settings.state = grounds.scratch / "state/of/a/project";
  os::Loop loop;
  Workers workers(loop, grounds.settings);
  const auto session = std::make_shared<tool::Session>();
  std::string state;
  loop.spawn([&]() -> boost::asio::awaitable<void> {
    co_await workers.run(
        *session, [&] { state = try_open(grounds.settings.state / "lock", O_RDWR | O_CREAT); });
  });
  loop.run();
  EXPECT_EQ(state, "opened");
}

TEST(Workers, WithoutRootsThereIsNoFence) {
  Pool pool;
  EXPECT_FALSE(pool.workers.fenced());
}

}  // namespace
}  // namespace helve::workspace
