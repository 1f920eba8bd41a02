// workspace/shell_state.h
//
// Where a command of `bash` stands, and how that is said: one line for the model, the same facts
// for programs (WS-42, WS-49, WS-53). Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "process/process.h"
#include "tool/jobs.h"

namespace helve::workspace {

struct ShellState {
  Duration age{0};                     // until now, or until the end
  std::optional<process::Left> shell;  // how the shell went; none: it runs
  bool ended = false;                  // nothing of it runs any more
  std::size_t processes = 0;           // that still run after the shell
  std::string job;                     // its handle where it has one that was told, or ""
  // What it was ended for: by us "stopped", "kill_after", "output", by the kernel "memory"; or "":
  // by itself.
  std::string reason;
  std::uint64_t limit = 0;               // of kill_after in ms, of output in bytes
  int stop_signal = 0;                   // the strongest that we sent, if we ended it
  std::vector<process::Remaining> held;  // what did not die of KILL either
  std::uint64_t bytes = 0, dropped = 0, replaced = 0;
  std::string containment, confined;
};

// "facts" has state: running, lingering, exited, killed, stopped or limit.
tool::JobStatus describe(const ShellState& state);

// "SIGKILL"; "signal 40" for one without a name.
std::string signal_name(int number);

}  // namespace helve::workspace
