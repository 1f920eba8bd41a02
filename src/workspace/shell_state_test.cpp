// How the standing of a command is said (WS-42, WS-49, WS-53; WF-3 to WF-6, WR-4, WR-5).
#include "workspace/shell_state.h"

#include <gtest/gtest.h>

#include <csignal>

namespace helve::workspace {
namespace {

using namespace std::chrono_literals;
using process::Ended;
using process::Left;

Left exited(int code) { return {.how = Ended::How::kExited, .code = code, .duration = 5ms}; }
Left killed(int signal) {
  return {.how = Ended::How::kSignaled, .signal = signal, .duration = 5ms};
}
Left stopped(int signal) {
  return {.how = Ended::How::kStopped, .signal = signal, .duration = 310ms};
}

struct Case {
  const char* name;
  ShellState state;
  const char *line, *word;
};

const Case kCases[] = {
    {"WS-42 running",
     {.age = 20s, .job = "job_1"},
     "still running after 20.0 s as job_1",
     "running"},
    {"WF-4 the code is told",
     {.shell = exited(3), .ended = true},
     "exit code 3 (5.0 ms)",
     "exited"},
    {"WF-3 a finished command names no job",
     {.shell = exited(0), .ended = true},
     "exit code 0 (5.0 ms)",
     "exited"},
    {"WF-5 WR-4 a signal is 128+n and named",
     {.shell = killed(SIGKILL), .ended = true},
     "killed by SIGKILL, exit code 137 (5.0 ms)",
     "killed"},
    {"WS-42 lingering has the shell's status",
     {.shell = exited(0), .processes = 1, .job = "job_1"},
     "exit code 0 (5.0 ms); 1 of its processes still run, as job_1",
     "lingering"},
    {"WF-6 WS-53 stopped is said of what was stopped",
     {.age = 310ms,
      .shell = stopped(SIGTERM),
      .ended = true,
      .reason = "stopped",
      .stop_signal = SIGTERM},
     "stopped by SIGTERM after 310 ms",
     "stopped"},
    {"WS-52 what did not die of KILL is named",
     {.age = 12s,
      .shell = stopped(SIGKILL),
      .ended = true,
      .reason = "stopped",
      .stop_signal = SIGKILL,
      .held = {{4711, "dd"}}},
     "stopped by SIGKILL after 12.0 s; 4711 (dd) did not die of KILL: the system holds what waits "
     "for a disk or a server",
     "stopped"},
    {"WS-42 a limit names itself",
     {.age = 1s, .shell = stopped(SIGTERM), .ended = true, .reason = "kill_after", .limit = 1000},
     "ended by its limit kill_after of 1.0 s after 1.0 s",
     "limit"},
    {"WS-42 both facts where the shell had gone before",
     {.age = 2s, .shell = exited(4), .ended = true, .reason = "kill_after", .limit = 2000},
     "exit code 4 (5.0 ms); what it had left running was ended by its limit kill_after of 2.0 s "
     "after 2.0 s",
     "limit"},
    {"WS-34 too much output",
     {.age = 2s, .shell = stopped(SIGTERM), .ended = true, .reason = "output", .limit = 1ULL << 30},
     "ended by the limit of 1.0 GiB of output after 2.0 s",
     "limit"},
    {"WS-64 out of memory, with the shell's status",
     {.age = 2s, .shell = killed(SIGKILL), .ended = true, .reason = "memory"},
     "killed by SIGKILL, exit code 137 (5.0 ms); the system ended processes of it, because the "
     "limit on memory was reached",
     "limit"},
};

TEST(ShellState, IsSaidInOneLine) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const tool::JobStatus status = describe(c.state);
    EXPECT_EQ(status.line, c.line);
    EXPECT_EQ(as_text(status.facts.at("state")), c.word);
  }
}

TEST(ShellState, HasTheFactsForPrograms) {
  const JsonObject facts =
      describe({.shell = killed(SIGABRT), .ended = true, .bytes = 7, .dropped = 2, .replaced = 1})
          .facts;
  EXPECT_EQ(facts.at("code"), 134);
  EXPECT_EQ(facts.at("signal"), "SIGABRT");
  EXPECT_EQ(facts.at("bytes"), 7U);
  EXPECT_EQ(facts.at("dropped"), 2U);
  EXPECT_EQ(facts.at("lossy"), 1U);
  EXPECT_FALSE(facts.contains("job"));
}

}  // namespace
}  // namespace helve::workspace
