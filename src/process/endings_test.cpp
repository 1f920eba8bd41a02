// How commands end, and what they are refused for: CT-69, CT-70, CT-73, CT-91.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/texts.h"
#include "os/limits.h"
#include "process/testing/run.h"

namespace helve::process {
namespace {

using std::chrono::milliseconds;
using testing::Folder;
using testing::run;
using testing::run_ok;
using testing::shell;
using testing::spawn_of;

struct EndCase {
  const char *name, *script;
  Ended::How how;
  int code, signal, result;
};

constexpr EndCase kEnds[] = {
    {"CT-69 exit 0 is success", "exit 0", Ended::How::kExited, 0, 0, 0},
    {"CT-73 an exit status is kept", "exit 7", Ended::How::kExited, 7, 0, 7},
    {"CT-73 the largest status", "exit 255", Ended::How::kExited, 255, 0, 255},
    {"CT-73 DV-18 a crash is a failure", "kill -SEGV $$", Ended::How::kSignaled, 0, SIGSEGV, 139},
    {"CT-73 its own TERM", "kill -TERM $$", Ended::How::kSignaled, 0, SIGTERM, 143},
    {"CT-73 its own KILL", "kill -KILL $$", Ended::How::kSignaled, 0, SIGKILL, 137},
    {"CT-71 SIGPIPE has its default back", "kill -PIPE $$", Ended::How::kSignaled, 0, SIGPIPE, 141},
};

TEST(Process, SaysHowACommandEnded) {
  for (const EndCase& c : kEnds) {
    SCOPED_TRACE(c.name);
    const Ended ended = run_ok(shell(c.script));
    EXPECT_EQ(ended.how, c.how);
    EXPECT_EQ(ended.code, c.code);
    EXPECT_EQ(ended.signal, c.signal);
    EXPECT_EQ(ended.result_code(), c.result);
    EXPECT_FALSE(ended.killed);
    EXPECT_FALSE(ended.lingered);
    EXPECT_GT(ended.duration, Duration(0));
  }
}

TEST(Process, MeasuresTheTimeOfTheProcessor) {
  const Ended ended = run_ok(shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"));
  EXPECT_GT(ended.cpu, Duration(0));
}

// What start refuses: a file of this content and mode, called by this word.
struct RefusedCase {
  const char *name, *content;
  unsigned mode;
  const char *word, *rule;
  int code;
};

constexpr RefusedCase kRefused[] = {
    {"CT-73 a name that PATH lacks", nullptr, 0, "no-such-program-here", "process.not_found", 127},
    {"CT-73 a path that is not there", nullptr, 0, "./gone", "process.file_missing", 127},
    {"CT-73 a file without x", "#!/bin/sh\n", 0644, "./tool", "process.not_executable", 126},
    {"CT-73 a folder", nullptr, 0, "/usr", "process.not_executable", 126},
    {"CT-70 no #! line: nobody guesses", "echo hi\n", 0755, "./tool", "process.not_executable",
     126},
    {"CT-73 an empty file", "", 0755, "./tool", "process.not_executable", 126},
    {"CT-73 a missing interpreter", "#! /no/sh -e\n", 0755, "./tool", "process.no_interpreter",
     126},
};

TEST(Process, RefusesWhatCannotBeExecuted) {
  for (const RefusedCase& c : kRefused) {
    SCOPED_TRACE(c.name);
    const Folder folder;
    if (c.content) {
      std::ofstream(folder.path / "tool") << c.content;
      ASSERT_EQ(::chmod((folder.path / "tool").c_str(), c.mode), 0);
    }
    const Result<Ended> ended = run(spawn_of({c.word}, folder.path));
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().rule, c.rule);
    EXPECT_EQ(refusal_code(ended.error()), c.code);
    EXPECT_EQ(render_text(ended.error()).find('{'), std::string::npos);
  }
}

TEST(Process, NamesThePathThatItSearched) {  // R15
  Spawn spawn = spawn_of({"tool"});
  policy::Command command = spawn.allowed.command();
  command.variables = std::make_shared<const std::map<std::string, std::string>>(
      std::map<std::string, std::string>{{"PATH", "/nowhere:/neither"}});
  const auto ended = run({.allowed = *policy::allow(policy::Permit::owner(), command)});
  ASSERT_FALSE(ended);
  EXPECT_NE(render(ended.error()).message.find("/nowhere:/neither"), std::string::npos);
}

TEST(Process, RefusesArgumentsThatAreTooLong) {  // CT-73: 126
  const auto ended = run(spawn_of({"/bin/true", std::string(4 << 20, 'x')}));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().rule, "process.too_long");
  EXPECT_EQ(refusal_code(ended.error()), 126);
}

TEST(Process, RefusesAFolderThatHasVanished) {
  std::filesystem::path gone;
  {
    const Folder folder;
    gone = folder.path;
  }
  const auto ended = run(spawn_of({"true"}, gone));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().rule, "process.folder_missing");
}

TEST(Process, FindsProgramsBelowTheFolderAndOnPath) {
  const Folder folder;
  std::ofstream(folder.path / "tool") << "#!/bin/sh\necho \"$0 $1\"; pwd\n";
  ASSERT_EQ(::chmod((folder.path / "tool").c_str(), 0755), 0);
  const Ended ended = run_ok(spawn_of({"./tool", "a  b\n$HOME"}, folder.path));
  EXPECT_TRUE(ended.out.tail.ends_with("tool a  b\n$HOME\n" + folder.path.string() + "\n"));
  EXPECT_EQ(run_ok(spawn_of({"printf", "%s", "x"})).out.tail, "x");
}

TEST(Process, PassesTheNameThatArgvGives) {
  policy::Command command{
      .argv = {"other name", "-c", "echo $0"}, .program = "/bin/sh", .folder = "/"};
  const Ended ended = run_ok({.allowed = *policy::allow(policy::Permit::owner(), command)});
  EXPECT_EQ(ended.out.tail, "other name\n");
}

struct TimeoutCase {
  const char *name, *script;
  bool killed;
};

constexpr TimeoutCase kTimeouts[] = {
    {"CT-91 a command that takes too long", "sleep 1000", false},
    {"CT-92 one that ignores TERM", "trap '' TERM; while :; do sleep 0.02; done", true},
    {"CT-92 one that is stopped", "kill -STOP $$; sleep 1000", false},
    {"CT-92 its background work too", "sleep 1000 & sleep 1000 & wait", false},
    {"CT-91 one that ends with 0 when told", "trap 'exit 0' TERM; while :; do sleep 0.02; done",
     false},
};

TEST(Process, EndsWhatTakesTooLong) {
  for (const TimeoutCase& c : kTimeouts) {
    SCOPED_TRACE(c.name);
    Spawn spawn = shell(c.script);
    spawn.timeout = milliseconds(150);
    spawn.timeout_grace = c.killed ? Duration(milliseconds(100)) : std::chrono::seconds(60);
    const Ended ended = run_ok(std::move(spawn));
    EXPECT_EQ(ended.how, Ended::How::kTimedOut);
    EXPECT_EQ(ended.result_code(), 124);
    EXPECT_EQ(ended.killed, c.killed);
    EXPECT_GE(ended.duration, milliseconds(150));
  }
}

TEST(Process, TakesATimeoutOfAnyLength) {  // CT-91: 64 bit
  for (const Duration timeout : {Duration(std::chrono::hours(24 * 60)), Duration::max()}) {
    Spawn spawn = shell("exit 3");
    spawn.timeout = timeout;
    EXPECT_EQ(run_ok(std::move(spawn)).result_code(), 3);
  }
}

TEST(Process, SetsTheLimitsOfThePermit) {
  const policy::Limits limits{.cpu_seconds = 77, .open_files = 55};
  policy::Command command{.argv = {"/bin/sh", "-c", "ulimit -c; ulimit -t; ulimit -n"},
                          .program = "/bin/sh",
                          .folder = "/"};
  const Ended ended = run_ok({.allowed = *policy::allow(policy::Permit::owner(limits), command)});
  EXPECT_EQ(ended.out.tail, "0\n77\n55\n");
}

// A server raises its own limit for the sake of its clients.
TEST(Process, HasTheLimitOfFilesThatTheHostBeganWith) {
  rlimit began{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &began), 0);
  const rlimit low{.rlim_cur = 99, .rlim_max = began.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  os::raise_open_files();
  rlimit raised{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &raised), 0);
  EXPECT_EQ(raised.rlim_cur, began.rlim_max);
  EXPECT_EQ(run_ok(shell("ulimit -n")).out.tail, "99\n");
}

}  // namespace
}  // namespace helve::process
