// From the shell's exit to the end of what it leaves behind: WS-41, WS-52, WS-54, WS-60, WS-61,
// WF-7, WR-1, WR-2. Each with cgroups and without.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "process/detail/cgroup.h"
#include "process/detail/procfs.h"
#include "process/leftovers.h"
#include "process/testing/run.h"

namespace helve::process {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::lives;
using testing::numbers_in;
using testing::on_loop;
using testing::shell;

class Leaving : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { use_cgroups(GetParam()); }
  void TearDown() override { use_cgroups(true); }
};

INSTANTIATE_TEST_SUITE_P(Both, Leaving, ::testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "WithCgroups" : "BySearch");
});

Spawn bash_like(std::string script) {
  Spawn spawn = shell(std::move(script));
  spawn.joined = true;
  spawn.quiet = milliseconds(100);
  spawn.drain = seconds(1);
  return spawn;
}

struct Seen {
  Left left;
  Ended ended;
  std::string when_left;  // the output up to then
  Duration until_left{0};
  std::string containment;
};

// Stops it with `grace` once its shell has left; a negative one waits for its own end.
Seen leave(Spawn spawn, Duration grace) {
  Seen seen;
  on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
    std::string output;
    spawn.on_output = [&](Stream, std::string_view bytes) { output += bytes; };
    const Clock::time_point began = Clock::now();
    auto process = co_await Process::start(loop, std::move(spawn));
    EXPECT_TRUE(process);
    if (!process) co_return;
    seen.containment = (*process)->containment();
    seen.left = co_await (*process)->left();
    seen.until_left = Clock::now() - began;
    seen.when_left = output;
    if (grace >= Duration(0)) (*process)->stop(grace);
    seen.ended = co_await (*process)->wait();
  });
  return seen;
}

struct LeftCase {
  const char *name, *script, *output;
  int code;
  std::size_t processes;
};

constexpr LeftCase kLefts[] = {
    {"WS-41 nothing is left behind", "echo up; exit 3", "up\n", 3, 0},
    {"WR-2 WF-7 a child that holds the pipe", "sleep 300 & echo up", "up\n", 0, 1},
    {"WR-2 a child that does not", "sleep 300 >/dev/null 2>&1 & echo up", "up\n", 0, 1},
    {"WR-2 nohup", "nohup sleep 300 & echo up; exit 2", "up\n", 2, 1},
    {"WR-2 setsid", "setsid sleep 300 & echo up; sleep 0.05", "up\n", 0, 1},
    {"WR-2 a daemon that closes everything",
     "(setsid sh -c 'exec sleep 300 0</dev/null >/dev/null 2>&1' &) ; echo up; sleep 0.05", "up\n",
     0, 1},
    {"WS-41 two of them", "sleep 300 & sleep 300 >/dev/null & echo up", "up\n", 0, 2},
    {"WS-41 output that comes a moment later is in",
     "(sleep 0.04; echo late; exec sleep 300) & echo up", "up\nlate\n", 0, 1},
};

TEST_P(Leaving, IsToldWithTheStatusOfTheShell) {
  for (const LeftCase& c : kLefts) {
    SCOPED_TRACE(c.name);
    const Seen seen = leave(bash_like(c.script), milliseconds(500));
    EXPECT_EQ(seen.left.how, Ended::How::kExited);
    EXPECT_EQ(seen.left.code, c.code);
    EXPECT_EQ(seen.left.processes, c.processes);
    EXPECT_EQ(seen.when_left, c.output);
    EXPECT_LT(seen.until_left, seconds(6));  // WR-2: 1.2 s
    EXPECT_EQ(seen.ended.how, c.processes > 0 ? Ended::How::kStopped : Ended::How::kExited);
  }
}

TEST_P(Leaving, TellsTheSignalThatEndedTheShell) {  // WS-42's facts
  const Seen seen = leave(bash_like("kill -9 $$"), Duration(-1));
  EXPECT_EQ(seen.left.how, Ended::How::kSignaled);
  EXPECT_EQ(seen.left.signal, SIGKILL);
}

TEST_P(Leaving, DrainsNoLongerThanItSays) {  // WS-41: at most `drain`, however much comes
  Spawn spawn = bash_like("(while :; do echo x; sleep 0.01; done) & echo up");
  spawn.drain = milliseconds(300);
  const Seen seen = leave(std::move(spawn), Duration(0));
  EXPECT_GE(seen.until_left, milliseconds(300));
  EXPECT_LT(seen.until_left, seconds(5));
  EXPECT_GE(seen.left.processes, 1U);
}

TEST_P(Leaving, GoesOnReadingWhatLingersUntilItEnds) {  // WS-41
  const Seen seen = leave(bash_like("(sleep 0.4; echo later) & echo up"), Duration(-1));
  EXPECT_EQ(seen.when_left, "up\n");
  EXPECT_EQ(seen.ended.how, Ended::How::kExited);
  EXPECT_EQ(seen.ended.out.tail, "up\nlater\n");
  EXPECT_FALSE(seen.ended.lingered);
}

TEST_P(Leaving, WaitsForATreeThatHoldsNoPipe) {  // WS-41
  const testing::Folder folder;
  const std::string file = (folder.path / "done").string();
  const Seen seen =
      leave(bash_like("(sleep 0.3; echo a > " + file + ") >/dev/null 2>&1 & :"), Duration(-1));
  EXPECT_EQ(seen.left.processes >= 1, true);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_P(Leaving, EndsWhenAllThatItLeftIsGone) {  // one after the other, each found again
  const Seen seen = leave(
      bash_like("for i in 1 2 3 4 5; do (setsid sleep 1.$i >/dev/null 2>&1 &) ; done; echo up"),
      Duration(-1));
  EXPECT_EQ(seen.ended.how, Ended::How::kExited);
  EXPECT_EQ(seen.left.processes, 5U);
}

TEST_P(Leaving, IsHeldToTheLifeLimit) {  // WR-1: by the life limit, after the shell has gone
  Spawn spawn = bash_like("(trap '' TERM; while :; do sleep 0.02; done) & echo up");
  spawn.timeout = milliseconds(400);
  spawn.timeout_grace = milliseconds(100);
  const Seen seen = leave(std::move(spawn), Duration(-1));
  EXPECT_EQ(seen.left.how, Ended::How::kExited);
  EXPECT_EQ(seen.ended.how, Ended::How::kTimedOut);
  EXPECT_TRUE(seen.ended.killed);
}

TEST_P(Leaving, ComesWithTheEndIfItIsStoppedBefore) {
  on_loop([](os::Loop& loop) -> boost::asio::awaitable<void> {
    auto process = co_await Process::start(loop, bash_like("sleep 300"));
    (*process)->stop(milliseconds(500));
    EXPECT_EQ((co_await (*process)->left()).how, Ended::How::kStopped);
    EXPECT_EQ((co_await (*process)->wait()).how, Ended::How::kStopped);
  });
}

TEST_P(Leaving, UsesNoProcessorWhileItWaits) {
  on_loop([](os::Loop& loop) -> boost::asio::awaitable<void> {
    auto process = co_await Process::start(loop, bash_like("sleep 300 >/dev/null 2>&1 & :"));
    co_await (*process)->left();
    rusage before{}, after{};
    ::getrusage(RUSAGE_SELF, &before);
    co_await os::Loop::sleep(seconds(1));
    ::getrusage(RUSAGE_SELF, &after);
    const auto us = [](const timeval& t) { return t.tv_sec * 1000000 + t.tv_usec; };
    EXPECT_LT(us(after.ru_utime) + us(after.ru_stime) - us(before.ru_utime) - us(before.ru_stime),
              100000);
    (*process)->stop(Duration(0));
    co_await (*process)->wait();
  });
}

TEST_P(Leaving, KeepsTheNumberOfTheShell) {  // WS-54: its number cannot become another's
  on_loop([](os::Loop& loop) -> boost::asio::awaitable<void> {
    auto process = co_await Process::start(loop, bash_like("sleep 300 >/dev/null 2>&1 & :"));
    co_await (*process)->left();
    const auto leader = read_member((*process)->pid());
    EXPECT_TRUE(leader && leader->state == 'Z');
    const int pid = (*process)->pid();
    (*process)->stop(milliseconds(500));
    co_await (*process)->wait();
    EXPECT_FALSE(read_member(pid));
  });
}

TEST_P(Leaving, LetsTheZombiesOfOthersBeReaped) {
  on_loop([](os::Loop& loop) -> boost::asio::awaitable<void> {
    auto lingering = co_await Process::start(loop, bash_like("sleep 300 >/dev/null 2>&1 & :"));
    co_await (*lingering)->left();
    std::string pids;
    Spawn spawn = shell("(sleep 0.05 & echo $!)");
    spawn.on_output = [&](Stream, std::string_view bytes) { pids += bytes; };
    auto other = co_await Process::start(loop, std::move(spawn));
    co_await (*other)->wait();
    const std::vector<int> numbers = numbers_in(pids);
    EXPECT_EQ(numbers.size(), 1U);
    for (int i = 0; i < 500 && read_member(numbers.front()); ++i) {
      co_await os::Loop::sleep(milliseconds(10));
    }
    EXPECT_FALSE(read_member(numbers.front()));
    (*lingering)->stop(Duration(0));
    co_await (*lingering)->wait();
  });
}

TEST_P(Leaving, IsEndedWithItsOwner) {  // WS-60: the session or the host goes
  int pid = 0;
  on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
    std::string output;
    Spawn spawn = bash_like("setsid sleep 300 >/dev/null 2>&1 & echo $!");
    spawn.on_output = [&](Stream, std::string_view bytes) { output += bytes; };
    auto process = co_await Process::start(loop, std::move(spawn));
    co_await (*process)->left();
    pid = numbers_in(output).at(0);
    EXPECT_TRUE(lives(pid));
  });
  EXPECT_FALSE(lives(pid));
}

// --- WR-1: the zoo. Each prints the numbers of what must be gone.

struct Animal {
  const char *name, *script;
};

constexpr Animal kZoo[] = {
    {"WR-1 WF-12 a child", "sleep 300 & echo $!"},
    {"WR-1 a child in a session of its own", "setsid sh -c 'echo $$; exec sleep 300' & sleep 0.1"},
    {"WR-1 a double fork", "(setsid sh -c 'echo $$; exec sleep 300' & ); sleep 0.1"},
    {"WR-1 WF-13 one that ignores TERM",
     "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 0.02; done' & sleep 0.1"},
    {"WR-1 a stopped one", "sleep 300 & kill -STOP $!; echo $!"},
    {"WR-1 one without its streams",
     "sh -c 'echo $$; exec sleep 300 0<&- >/dev/null 2>&1' & sleep 0.1"},
    {"WR-1 one under another name", "bash -c 'echo $$; exec -a kthreadd sleep 300' & sleep 0.1"},
    {"WR-1 nohup", "nohup sleep 300 >/dev/null 2>&1 & echo $!"},
    {"WR-1 one that restarts its child",
     "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 300; done' & sleep 0.1"},
    {"WR-1 a fork loop that is fast",
     "perl -MPOSIX -e '$SIG{TERM} = \"IGNORE\"; while (1) { my $p = fork // next; exit if $p; "
     "setsid; "
     "open my $f, \">>\", $ARGV[0]; print $f \"$$\\n\" }' $F/pids >/dev/null 2>&1 & sleep 0.2"},
    {"WR-1 a fork loop in sessions of its own",
     "echo 'trap \"\" TERM; echo $$ >> \"$1\"; setsid sh \"$0\" \"$1\" & exit' > $F/hop; "
     "setsid sh $F/hop $F/pids & sleep 0.2"},
};

TEST_P(Leaving, OutlivesNoStop) {
  for (const Animal& animal : kZoo) {
    SCOPED_TRACE(animal.name);
    const testing::Folder folder;
    const Seen seen =
        leave(bash_like("F=" + folder.path.string() + "; " + animal.script), milliseconds(150));
    EXPECT_EQ(seen.ended.how, Ended::How::kStopped);
    EXPECT_FALSE(seen.ended.lingered);
    for (const int pid : numbers_in(seen.ended.out.tail)) EXPECT_FALSE(lives(pid)) << pid;
    std::ifstream pids(folder.path / "pids");
    const auto size = [&] {
      std::error_code ignored;
      return std::filesystem::file_size(folder.path / "pids", ignored);
    };
    const auto before = size();
    ::usleep(50000);
    EXPECT_EQ(size(), before) << "the fork loop goes on";
  }
}

// --- WS-61, WR-13: after a crash.

int start_marked(const std::string& mark, const char* script) {
  const int pid = ::fork();
  if (pid != 0) return pid;
  ::setsid();
  const char* const argv[] = {"sh", "-c", script, nullptr};
  const char* const variables[] = {"PATH=/usr/bin:/bin", mark.c_str(), nullptr};
  ::execve("/bin/sh", const_cast<char**>(argv), const_cast<char**>(variables));
  ::_exit(127);
}

TEST(Leftovers, EndByTheirMarkAndNothingElse) {  // WS-61, WR-13
  const std::string mark = "HELVE_JOB=0123456789abcdef.1-7";
  const int ours = start_marked(mark, "trap '' TERM; sleep 300 & while :; do sleep 0.02; done");
  const int longer = start_marked(mark + "7", "exec sleep 300");
  const int foreign = start_marked("OTHER=1", "exec sleep 300");
  ::usleep(100000);
  const std::vector<std::string> marks = {mark, "HELVE_JOB=nobody"};
  EXPECT_GE(end_leftovers(marks), 2U);
  int status = 0;
  EXPECT_EQ(::waitpid(ours, &status, 0), ours);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_TRUE(lives(longer));
  EXPECT_TRUE(lives(foreign));
  for (const int pid : {longer, foreign}) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, &status, 0);
  }
  EXPECT_EQ(end_leftovers(marks), 0U);
}

TEST(Leftovers, EndByWhatAllMarksOfTheirHostBeginWith) {  // WS-61
  const std::string host = "HELVE_JOB=0123456789abcdef.2-";
  const std::string other = "HELVE_JOB=0123456789abcdef.22-";
  const int ours = start_marked(host + "7", "exec sleep 300");
  const int foreign = start_marked(other + "7", "exec sleep 300");
  ::usleep(100000);
  EXPECT_EQ(end_leftovers(std::vector<std::string>{host}), 1U);
  int status = 0;
  EXPECT_EQ(::waitpid(ours, &status, 0), ours);
  EXPECT_TRUE(lives(foreign));
  for (const char* wrong : {"", "-", "PATH=", "HELVE_JOB=", "HELVE_JOB=0-"}) {
    EXPECT_EQ(end_leftovers(std::vector<std::string>{wrong}), 0U) << wrong;
  }
  EXPECT_EQ(end_leftovers(std::vector<std::string>{other}), 1U);
  EXPECT_EQ(::waitpid(foreign, &status, 0), foreign);
}

TEST(Leftovers, OfThisHostBeginAsItSays) {  // WS-61
  on_loop([](os::Loop& loop) -> boost::asio::awaitable<void> {
    auto process = co_await Process::start(loop, bash_like("true"));
    EXPECT_TRUE((*process)->mark().starts_with(own_marks()));
    EXPECT_TRUE(own_marks().ends_with('-'));
    co_await (*process)->wait();
  });
}

TEST_P(Leaving, NamesWhatStillRuns) {  // WS-52
  on_loop([](os::Loop& loop) -> boost::asio::awaitable<void> {
    auto process = co_await Process::start(loop, bash_like("sleep 300 & echo up; sleep 0.05"));
    co_await (*process)->left();
    const std::vector<Remaining> remaining = (*process)->remaining();
    EXPECT_EQ(remaining.size(), 1U);
    if (!remaining.empty()) {
      EXPECT_EQ(remaining[0].name, "sleep");
      EXPECT_TRUE(lives(remaining[0].pid));
    }
    (*process)->stop(Duration(0));
    const Ended ended = co_await (*process)->wait();
    EXPECT_TRUE(ended.held.empty());
    EXPECT_TRUE((*process)->remaining().empty());
  });
}

TEST(Leftovers, AreFoundByTheMarkOfTheirProcess) {  // WS-61
  on_loop([](os::Loop& loop) -> boost::asio::awaitable<void> {
    auto process = co_await Process::start(loop, bash_like("sleep 300 & echo up"));
    co_await (*process)->left();
    const std::vector<std::string> marks = {(*process)->mark()};
    EXPECT_EQ(end_leftovers(marks), 1U);
    EXPECT_EQ((co_await (*process)->wait()).how, Ended::How::kExited);
  });
}

}  // namespace
}  // namespace helve::process
