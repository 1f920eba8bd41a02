// Whole trees: CT-71, CT-92, R2, R10, DV-18. Each test runs with cgroups and without.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "process/detail/cgroup.h"
#include "process/detail/procfs.h"
#include "process/leftovers.h"
#include "process/means.h"
#include "process/testing/run.h"
#include "process/warden.h"

namespace helve::process {
namespace {

using std::chrono::milliseconds;
using testing::lives;
using testing::numbers_in;
using testing::on_loop;
using testing::run_and_stop;
using testing::run_ok;
using testing::shell;
using testing::spawn_of;

class Trees : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { use_cgroups(GetParam()); }
  void TearDown() override { use_cgroups(true); }
};

INSTANTIATE_TEST_SUITE_P(Both, Trees, ::testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "WithCgroups" : "BySearch");
});

struct StopCase {
  const char *name, *script;  // prints the pids of its tree on one line
  bool killed;
};

constexpr StopCase kStops[] = {
    {"the leader alone", "echo $$; exec sleep 1000", false},
    {"a child and a grandchild", "sh -c 'sleep 1000 & echo $$ $!; wait'; sleep 1000", false},
    {"DV-18 a grandchild in a session of its own",
     "setsid sleep 1000 & sleep 0.1; echo $$ $!; wait", false},
    {"a double fork that has left by setsid",
     "(setsid sh -c 'echo $$; exec sleep 1000' & ); sleep 1000", false},
    {"one whose leader ignores TERM", "trap '' TERM; echo $$; while :; do sleep 0.02; done", true},
    {"an escaped one that ignores TERM",
     "(setsid sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.02; done' & ); sleep 1000", true},
    {"a stopped child", "sleep 1000 & kill -STOP $!; echo $$ $!; wait", false},
};

TEST_P(Trees, EndWhole) {  // CT-92, R10
  for (const StopCase& c : kStops) {
    SCOPED_TRACE(c.name);
    const Ended ended = run_and_stop(
        shell(c.script), c.killed ? Duration(milliseconds(100)) : std::chrono::minutes(5));
    EXPECT_EQ(ended.how, Ended::How::kStopped);
    EXPECT_EQ(ended.result_code(), 130);
    EXPECT_EQ(ended.killed, c.killed);
    EXPECT_FALSE(ended.lingered);
    const std::vector<int> pids = numbers_in(ended.out.tail);
    EXPECT_FALSE(pids.empty());
    for (const int pid : pids) EXPECT_FALSE(lives(pid)) << pid;
  }
}

TEST(TreesWithCgroups, HoldAnEscapeeThatHidesItsMark) {
  if (!take_cgroup()) GTEST_SKIP() << "no cgroup2 that we may write to";
  const char* script =
      "(setsid env -i /bin/sh -c 'echo $$; exec sleep 1000' & ); sleep 0.1; exec sleep 1000";
  const Ended ended = run_and_stop(shell(script), milliseconds(500));
  for (const int pid : numbers_in(ended.out.tail)) EXPECT_FALSE(lives(pid)) << pid;
}

// Whoever may write to another cgroup can leave its own: its answer says that it runs, and it ends.
TEST(TreesWithCgroups, HoldAnEscapeeThatLeavesItsCgroup) {
  const std::string above = std::filesystem::path(cgroups_folder()).parent_path() / "cgroup.procs";
  if (!take_cgroup() || ::access(above.c_str(), W_OK) != 0) GTEST_SKIP() << "no other cgroup";
  Spawn spawn = shell("(echo 0 > " + above +
                      "; echo moved; exec setsid sleep 1000 >/dev/null 2>&1) & sleep 0.2; echo $!");
  spawn.quiet = milliseconds(50);
  spawn.drain = std::chrono::seconds(1);
  std::string output;
  spawn.on_output = [&](Stream, std::string_view bytes) { output += bytes; };
  on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
    auto process = co_await Process::start(loop, std::move(spawn));
    const Left left = co_await (*process)->left();
    EXPECT_EQ(left.processes, 1U);
    (*process)->stop(std::chrono::seconds(5));
    EXPECT_FALSE((co_await (*process)->wait()).killed);
  });
  if (!output.starts_with("moved")) GTEST_SKIP() << "the kernel did not let it";
  for (const int pid : numbers_in(output.substr(6))) EXPECT_FALSE(lives(pid)) << pid;
}

// Without a cgroup nothing tells whose it is; the daemon's end is its end all the same.
TEST(TreesBySearch, WhatHidesItsMarkEndsWithTheDaemon) {
  use_cgroups(false);
  const Ended ended =
      run_ok(shell("setsid env -i sleep 1000 > /dev/null 2>&1 & echo $!; sleep 0.1"));
  use_cgroups(true);
  const std::vector<int> pids = numbers_in(ended.out.tail);
  ASSERT_EQ(pids.size(), 1U);
  EXPECT_TRUE(lives(pids[0]));
  end_strays();
  EXPECT_FALSE(lives(pids[0]));
}

TEST_P(Trees, EndAtOnceWithoutAGrace) {
  const Ended ended =
      run_and_stop(shell("trap 'echo no' TERM; echo $$; while :; do :; done"), Duration(0));
  EXPECT_TRUE(ended.killed);
  EXPECT_EQ(ended.signal, SIGKILL);
}

TEST_P(Trees, TakeAShorterGraceLater) {
  on_loop([](os::Loop& loop) -> boost::asio::awaitable<void> {
    bool ready = false;
    Spawn spawn = shell("trap '' TERM; echo $$; while :; do sleep 0.02; done");
    spawn.on_output = [&](Stream, std::string_view) { ready = true; };
    auto process = co_await Process::start(loop, std::move(spawn));
    while (!ready) co_await os::Loop::sleep(milliseconds(5));
    (*process)->stop(std::chrono::hours(1));
    (*process)->stop(milliseconds(20));
    (*process)->stop(std::chrono::hours(1));
    const Ended ended = co_await (*process)->wait();
    EXPECT_TRUE(ended.killed);
  });
}

TEST_P(Trees, LeaveNothingWhenTheProcessIsDropped) {
  std::string pids;
  on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
    Spawn spawn = shell("(setsid sleep 1000 & echo $!); echo $$; exec sleep 1000");
    spawn.on_output = [&](Stream, std::string_view chunk) { pids += chunk; };
    auto process = co_await Process::start(loop, std::move(spawn));
    while (std::ranges::count(pids, '\n') < 2) co_await os::Loop::sleep(milliseconds(5));
  });
  for (const int pid : numbers_in(pids)) EXPECT_FALSE(lives(pid)) << pid;
  EXPECT_EQ(numbers_in(pids).size(), 2U);
}

TEST_P(Trees, LeaveNothingWhenTheLoopGoesFirst) {
  int pid = 0;
  {
    os::Loop loop;
    std::unique_ptr<Process> process;
    loop.spawn([](os::Loop& on, std::unique_ptr<Process>& out,
                  int& number) -> boost::asio::awaitable<void> {
      auto started = co_await Process::start(on, spawn_of({"sleep", "1000"}));
      number = (*started)->pid();
      out = *std::move(started);
      on.stop();
    }(loop, process, pid));
    loop.run();
    process.reset();
  }
  for (int i = 0; i < 500 && lives(pid); ++i) ::usleep(10000);
  EXPECT_FALSE(lives(pid));
}

TEST_P(Trees, ReapWhatTheyAdopt) {
  run_ok(shell("(sleep 0.05 & ); (true & ); exit 0"));
  ::usleep(200000);
  run_ok(spawn_of({"true"}));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST_P(Trees, RunManyAtOnce) {
  constexpr int kCount = 200;
  int ended_well = 0, finished = 0;
  on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
    for (int i = 0; i < kCount; ++i) {
      loop.spawn([](os::Loop& on, int number, int& well, int& all) -> boost::asio::awaitable<void> {
        const std::string text = std::to_string(number);
        auto process = co_await Process::start(
            on, shell("echo " + text + "; exit " + std::to_string(number % 7)));
        if (process) {
          const Ended ended = co_await (*process)->wait();
          if (ended.out.tail == text + "\n" && ended.code == number % 7) ++well;
        }
        ++all;
      }(loop, i, ended_well, finished));
    }
    co_return;
  });
  EXPECT_EQ(finished, kCount);
  EXPECT_EQ(ended_well, kCount);
}

TEST_P(Trees, LeadASessionOfTheirOwn) {  // CT-71, WS-28, decisions 5
  const Ended ended = run_ok(spawn_of({"cat", "/proc/self/stat"}));
  const std::vector<std::string> fields = [&] {
    std::istringstream in(ended.out.tail);
    return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
  }();
  ASSERT_GT(fields.size(), 6U);
  EXPECT_EQ(fields[0], fields[4]);  // group
  EXPECT_EQ(fields[0], fields[5]);  // session
}

TEST_P(Trees, SayWhatHoldsThemTogether) {  // WS-51
  const bool cgroup = static_cast<bool>(take_cgroup());
  on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
    auto process = co_await Process::start(loop, shell("sleep 300 & wait"));
    EXPECT_EQ((*process)->containment(), cgroup ? "cgroup" : "subreaper");
    EXPECT_EQ((*process)->confined(), policy::Confine::kNone);
    EXPECT_TRUE((*process)->mark().starts_with("HELVE_JOB="));
    while ((*process)->processes() < 2) co_await os::Loop::sleep(milliseconds(5));
    (*process)->stop(milliseconds(500));
    co_await (*process)->wait();
    EXPECT_EQ((*process)->processes(), 0U);
  });
}

bool has_controllers() {
  const auto& names = means().controllers;
  return std::ranges::count(names, "pids") + std::ranges::count(names, "memory") == 2;
}

Spawn limited(const policy::Limits& limits, std::string script) {
  policy::Command command{
      .argv = {"sh", "-c", std::move(script)}, .program = "/bin/sh", .folder = "/"};
  return {.allowed = *policy::allow(policy::Permit::owner(limits), std::move(command))};
}

TEST(TreesWithControllers, HoldAForkBomb) {  // WS-64, WF-19
  if (!has_controllers()) GTEST_SKIP() << "no cgroup2 with the controllers memory and pids";
  const Ended ended =
      run_and_stop(limited({.tree_processes = 64}, "echo go; f() { f | f & }; f; sleep 1000"),
                   milliseconds(500));
  EXPECT_EQ(ended.how, Ended::How::kStopped);
  EXPECT_FALSE(ended.lingered);
}

TEST(TreesWithControllers, SayThatMemoryRanOut) {  // WS-64: reason `memory`
  if (!has_controllers()) GTEST_SKIP() << "no cgroup2 with the controllers memory and pids";
  const Ended ended =
      run_ok(limited({.tree_memory_bytes = 64 << 20}, "exec perl -e '$a = \"x\" x (256 << 20)'"));
  EXPECT_TRUE(ended.out_of_memory);
  EXPECT_EQ(ended.signal, SIGKILL);
}

int warden() {
  for (const int pid : own_children().value_or(std::vector<int>())) {
    std::string name;
    std::ifstream("/proc/" + std::to_string(pid) + "/comm") >> name;
    if (name == "helve-warden" && lives(pid)) return pid;
  }
  return 0;
}

// As a command may do it. The next start of a command has to find out.
void lose_the_warden() {
  int pid = 0;
  while ((pid = warden()) == 0) ::usleep(1000);  // it has to give itself its name
  ::kill(pid, SIGKILL);
  while (lives(pid)) ::usleep(1000);
}

// R2: a host that is killed outright, with an escaped grandchild.
void expect_to_end_with_a_killed_host(bool without_its_first_warden) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int host = ::fork();
  if (host == 0) {
    start_warden();
    if (without_its_first_warden) lose_the_warden();
    on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
      std::string pids;
      Spawn spawn = shell("(setsid sh -c 'echo $$; exec sleep 1000' & ); echo $$; exec sleep 1000");
      spawn.on_output = [&](Stream, std::string_view chunk) { pids += chunk; };
      auto process = co_await Process::start(loop, std::move(spawn));
      while (std::ranges::count(pids, '\n') < 2) co_await os::Loop::sleep(milliseconds(5));
      if (::write(ends[1], pids.data(), pids.size()) > 0) ::kill(::getpid(), SIGKILL);
    });
  }
  ::close(ends[1]);
  std::string text(100, '\0');
  const ssize_t got = ::read(ends[0], text.data(), text.size());
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  ::close(ends[0]);
  EXPECT_EQ(::waitpid(host, nullptr, 0), host);
  const std::vector<int> pids = numbers_in(text);
  EXPECT_EQ(pids.size(), 2U);
  const auto any = [&] { return std::ranges::any_of(pids, lives); };
  for (int i = 0; i < 1000 && any(); ++i) ::usleep(10000);
  EXPECT_FALSE(any());
}

TEST_P(Trees, DoNotOutliveAHostWithAWarden) { expect_to_end_with_a_killed_host(false); }

TEST_P(Trees, DoNotOutliveAHostWhoseWardenWasKilled) { expect_to_end_with_a_killed_host(true); }

}  // namespace
}  // namespace helve::process
