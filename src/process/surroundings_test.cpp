// What a command finds around it: descriptors, signals, variables; and a system that is short of
// things.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "os/signals.h"
#include "process/detail/clone.h"
#include "process/testing/run.h"

namespace helve::process {
namespace {

using testing::run;
using testing::run_ok;
using testing::shell;
using testing::spawn_of;

TEST(Surroundings, HoldThreeDescriptorsAndNoMore) {  // CT-71, WS-28
  const int leaky = ::dup2(0, 77);                   // as our own parent may have left one
  const Ended ended = run_ok(shell("exec ls /proc/self/fd"));
  EXPECT_EQ(ended.out.tail, "0\n1\n2\n3\n");  // 3 is how ls reads the folder
  ::close(leaky);
}

TEST(Surroundings, HaveTheDefaultsOfAllSignals) {  // CT-71, WS-28
  os::ignore_sigpipe();
  sigset_t set{}, before{};
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  const Ended ended = run_ok(spawn_of({"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"}));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(ended.out.tail, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(Surroundings, LackTheVariablesOfTheHost) {
  ::setenv("HELVE_SECRET", "s", 1);
  ::setenv("HELPFUL", "h", 1);
  const Ended ended = run_ok(shell("echo \"[$HELVE_SECRET]$HELPFUL\"; test -n \"$HELVE_JOB\""));
  ::unsetenv("HELVE_SECRET");
  ::unsetenv("HELPFUL");
  EXPECT_EQ(ended.out.tail, "[]h\n");
  EXPECT_EQ(ended.code, 0);
}

Spawn weighed(std::string script) {
  Spawn spawn = shell(std::move(script));
  spawn.umask = 022;
  spawn.nice = 5;
  spawn.oom_score_adj = 500;
  return spawn;
}

TEST(Surroundings, HaveTheGivenWeights) {  // WS-28 umask; WS-64 nice, oom_score_adj
  const mode_t before = ::umask(0);
  const Ended ended =
      run_ok(weighed("umask; nice; cat /proc/self/oom_score_adj; awk '{print $19}' /proc/$$/stat"));
  ::umask(before);
  EXPECT_EQ(ended.out.tail, "0022\n5\n500\n5\n");
}

TEST(Surroundings, HoldTheScriptAsDescriptorThree) {  // WS-28
  Spawn spawn = spawn_of({"sh", "/dev/fd/3", "a"});
  const int script = ::memfd_create("script", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const std::string text = "echo \"$1\"; ls /proc/$$/fd | tr '\\n' ' '";
  ASSERT_EQ(::write(script, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ASSERT_EQ(::fcntl(script, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL),
            0);
  spawn.script = std::make_shared<const os::UniqueFd>(script);
  const int leaky = ::dup2(0, 77);
  const Ended ended = run_ok(std::move(spawn));
  ::close(leaky);
  EXPECT_TRUE(ended.out.tail.starts_with("a\n0 1 ")) << ended.out.tail;
  EXPECT_EQ(ended.out.tail.find("77"), std::string::npos) << ended.out.tail;
}

TEST(Surroundings, AreLimitedAsAsked) {  // WS-64, WF-19
  policy::Limits limits{.file_bytes = 8ULL << 30, .open_files = 4096, .user_processes = 5000};
  policy::Command command{.argv = {"sh", "-c", "ulimit -c; ulimit -n; ulimit -f; ulimit -p"},
                          .program = "/bin/sh",
                          .folder = "/"};
  const Ended ended =
      run_ok({.allowed = *policy::allow(policy::Permit::owner(limits), std::move(command))});
  EXPECT_EQ(ended.out.tail, "0\n4096\n" + std::to_string((8ULL << 30) / 512) + "\n5000\n");
}

TEST(Surroundings, AreInTheFolderThatIsHeldWhateverHasItsPathByNow) {  // WS-28
  const testing::Folder home;
  const std::filesystem::path folder = home.path / "work";
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "which") << "the one that was meant";
  const File held = std::make_shared<const os::UniqueFd>(
      ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::filesystem::rename(folder, home.path / "moved");
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "which") << "another";
  for (const bool by_descriptor : {true, false}) {
    Spawn spawn = spawn_of({"/bin/cat", "which"}, folder);
    if (by_descriptor) spawn.folder = held;
    EXPECT_EQ(run_ok(std::move(spawn)).out.tail,
              by_descriptor ? "the one that was meant" : "another");
  }
}

TEST(Surroundings, HaveNoTerminalAndNoInput) {  // WS-28, WF-16, WF-19
  const Ended ended = run_ok(shell("cat; (: < /dev/tty) 2>/dev/null || echo no terminal"));
  EXPECT_EQ(ended.out.tail, "no terminal\n");
}

TEST(Surroundings, HoldExactlyTheGivenVariablesAndTheMark) {
  policy::Command command{.argv = {"env"}, .program = "/usr/bin/env", .folder = "/"};
  command.variables = std::make_shared<const std::map<std::string, std::string>>(
      std::map<std::string, std::string>{{"A", "1=2"}, {"HELVE_JOB", "forged"}, {"Z", ""}});
  const Ended ended = run_ok({.allowed = *policy::allow(policy::Permit::owner(), command)});
  EXPECT_TRUE(ended.out.tail.starts_with("A=1=2\nZ=\nHELVE_JOB=")) << ended.out.tail;
  EXPECT_EQ(ended.out.tail.find("forged"), std::string::npos);
}

TEST(Surroundings, AreRefusedWhenTheHostHasNoDescriptorLeft) {  // WS-32
  run_ok(spawn_of({"true"}));                                   // opens what stays open
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  Result<Ended> ended = refuse("process.never_ended");
  testing::on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
    const int next = ::dup(0);
    ::close(next);
    const rlimit tight{.rlim_cur = static_cast<rlim_t>(next) + 2, .rlim_max = before.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
    auto process = co_await Process::start(loop, spawn_of({"true"}));
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    if (!process) ended = std::unexpected(process.error());
  });
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().rule, "process.busy");
  EXPECT_EQ(refusal_code(ended.error()), 126);
  EXPECT_EQ(run_ok(spawn_of({"true"})).code, 0);  // and nothing was lost
}

TEST(Surroundings, AreWaitedForWhileTheHostIsShortForAMoment) {
  run_ok(spawn_of({"true"}));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  int code = -1;
  testing::on_loop([&](os::Loop& loop) -> boost::asio::awaitable<void> {
    const int next = ::dup(0);
    ::close(next);
    const rlimit tight{.rlim_cur = static_cast<rlim_t>(next) + 2, .rlim_max = before.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
    loop.spawn([](const rlimit& old) -> boost::asio::awaitable<void> {
      co_await os::Loop::sleep(std::chrono::milliseconds(30));
      EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &old), 0);
    }(before));
    auto process = co_await Process::start(loop, shell("exit 9"));
    if (process) code = (co_await (*process)->wait()).code;
  });
  EXPECT_EQ(code, 9);
}

struct CloneCase {
  const char *name, *program, *folder;
  Step step;
  int error;
};

constexpr CloneCase kClones[] = {
    {"a program", "/bin/true", "/", Step::kNone, 0},
    {"no program", "/no/such", "/", Step::kExec, ENOENT},
    {"no folder", "/bin/true", "/no/such", Step::kFolder, ENOENT},
};

TEST(Clone, WorksBothWaysAndBringsTheErrorBack) {
  const os::UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const Method method : {Method::kBest, Method::kPortable}) {
    for (const CloneCase& c : kClones) {
      SCOPED_TRACE(c.name);
      char word[] = "x";
      char* const argv[] = {word, nullptr};
      ChildPlan plan{.program = c.program, .argv = argv, .variables = environ, .folder = c.folder};
      plan.in = plan.out = plan.err = null.get();
      const Cloned cloned = clone_child(plan, method);
      EXPECT_EQ(cloned.failure.step, c.step);
      EXPECT_EQ(cloned.failure.error, c.error);
      if (c.step != Step::kNone) continue;
      int status = -1;
      EXPECT_EQ(::waitpid(cloned.pid, &status, 0), cloned.pid);
      EXPECT_EQ(status, 0);
      EXPECT_TRUE(cloned.pidfd);
    }
  }
}

}  // namespace
}  // namespace helve::process
