#include "workspace/shell_state.h"

#include <string.h>

#include "base/text.h"
#include "base/texts.h"

namespace helve::workspace {
namespace {

using process::Ended;

constexpr int kSignalBase = 128;

int exit_code(const process::Left& shell) {
  return shell.signal != 0 ? kSignalBase + shell.signal : shell.code;
}

std::string limit_text(const ShellState& state) {
  if (state.reason == "output")
    return text("bash.limit.output", {{"bytes", bytes_text(state.limit)}});
  return text("bash.limit.kill_after",
              {{"time", duration_text(std::chrono::milliseconds(state.limit))}});
}

// How the shell itself went, which says nothing of what it left behind.
std::string shell_text(const process::Left& shell) {
  const std::string time = duration_text(shell.duration);
  const std::string code = std::to_string(exit_code(shell));
  if (shell.signal == 0) return text("bash.exited", {{"code", code}, {"time", time}});
  return text("bash.killed",
              {{"signal", signal_name(shell.signal)}, {"code", code}, {"time", time}});
}

std::string ended_by_us(const ShellState& state, const process::Left& shell) {
  const Texts args = {{"signal", signal_name(state.stop_signal)},
                      {"time", duration_text(state.age)},
                      {"limit", limit_text(state)}};
  // A shell that had gone before by itself has a status of its own.
  const bool shell_first = shell.how == Ended::How::kExited || shell.how == Ended::How::kSignaled;
  const std::string how =
      text(state.reason == "stopped" ? "bash.stopped" : "bash.limited",
           state.reason == "stopped" ? Texts{args[0], args[1]} : Texts{args[2], args[1]});
  return shell_first ? text("bash.both", {{"shell", shell_text(shell)}, {"rest", how}}) : how;
}

std::string_view state_word(const ShellState& state) {
  if (!state.shell) return "running";
  if (!state.ended) return "lingering";
  if (state.reason == "stopped") return "stopped";
  if (!state.reason.empty()) return "limit";
  return state.shell->signal != 0 ? "killed" : "exited";
}

std::string names_of(const std::vector<process::Remaining>& processes) {
  std::vector<std::string> names;
  for (const process::Remaining& each : processes) {
    names.push_back(std::to_string(each.pid) + " (" + each.name + ")");
  }
  return join(names, ", ");
}

JsonArray rows_of(const std::vector<process::Remaining>& processes) {
  JsonArray rows;
  for (const process::Remaining& each : processes) {
    rows.push_back(JsonObject{{"pid", each.pid}, {"name", each.name}});
  }
  return rows;
}

std::string line_of(const ShellState& state) {
  const std::string time = duration_text(state.age);
  if (!state.shell) return text("bash.running", {{"job", state.job}, {"time", time}});
  const process::Left& shell = *state.shell;
  if (!state.ended) {
    return text("bash.lingering", {{"shell", shell_text(shell)},
                                   {"processes", std::to_string(state.processes)},
                                   {"job", state.job}});
  }
  if (state.reason == "memory") {
    return text("bash.out_of_memory", {{"shell", shell_text(shell)}});
  }
  const std::string line = state.reason.empty() ? shell_text(shell) : ended_by_us(state, shell);
  if (state.held.empty()) return line;
  return text("bash.held", {{"status", line}, {"processes", names_of(state.held)}});
}

}  // namespace

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name == nullptr ? text("bash.signal", {{"number", std::to_string(number)}})
                         : std::string("SIG") + name;
}

tool::JobStatus describe(const ShellState& state) {
  JsonObject facts{{"state", state_word(state)},
                   {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(state.age).count()},
                   {"bytes", state.bytes},
                   {"dropped", state.dropped}};
  if (state.shell) facts["code"] = exit_code(*state.shell);
  if (state.shell && state.shell->signal != 0) facts["signal"] = signal_name(state.shell->signal);
  if (!state.reason.empty()) facts["reason"] = state.reason;
  if (state.shell && !state.ended) facts["processes"] = state.processes;
  if (!state.held.empty()) facts["held"] = rows_of(state.held);
  if (state.replaced > 0) facts["lossy"] = state.replaced;
  if (!state.containment.empty()) facts["containment"] = state.containment;
  if (!state.confined.empty()) facts["confined"] = state.confined;
  if (!state.job.empty()) facts["job"] = state.job;
  return {.line = line_of(state), .facts = std::move(facts)};
}

}  // namespace helve::workspace
