#include "commands/detail/answer.h"

#include <cstring>

#include "base/text.h"
#include "base/texts.h"

namespace helve::commands {
namespace {

constexpr size_t kFailuresTold = 10;
constexpr size_t kFailureTail = 600;  // bytes of a failed step's stderr or stdout

std::string_view without_line_ends(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

// ", killed by SIGKILL", or nothing.
std::string signal_text(int signal) {
  const char* name = signal == 0 ? nullptr : ::sigabbrev_np(signal);
  return name == nullptr ? "" : text("run.by_signal", {{"signal", std::string("SIG") + name}});
}

std::string failure_text(const Report& report, size_t index) {
  const StepRun& run = report.steps[index];
  const std::string& said = run.err.text.empty() ? run.out.text : run.err.text;
  std::string out =
      text("run.failed_step", {{"step", step_name(*run.step)},
                               {"status", text("status." + std::string(name(run.status)))},
                               {"exit", std::to_string(run.exit)},
                               {"signal", signal_text(run.signal)}});
  const std::string tail = tail_text(without_line_ends(said), kFailureTail);
  return tail.empty() ? out : out + '\n' + tail;
}

std::string failures_text(const Report& report) {
  std::string out;
  for (size_t i = 0; i < report.failures.size() && i < kFailuresTold; ++i) {
    out += '\n' + failure_text(report, report.failures[i]);
  }
  if (report.failures.size() > kFailuresTold) {
    out += '\n' + text("run.more_failures",
                       {{"count", std::to_string(report.failures.size() - kFailuresTold)}});
  }
  return out;
}

Texts facts(const Report& report) {
  const Coverage coverage = report.coverage();
  return {{"tool", report.tool},
          {"status", text("status." + std::string(name(report.status)))},
          {"exit", std::to_string(report.exit)},
          {"duration", duration_text(report.duration)},
          {"done", std::to_string(coverage.done)},
          {"expected", std::to_string(coverage.expected)},
          {"failures", std::to_string(report.failures.size())},
          {"id", report.id}};
}

std::string result_text(const Run& run) {
  if (run.result.bytes == run.result.tail().size()) return std::string(run.result.tail());
  return text("run.result_tail", {{"bytes", bytes_text(run.result.bytes)}, {"id", run.report.id}}) +
         '\n' + tail_text(run.result.tail(), run.result.tail().size());
}

std::string told(const Run& run) {
  const Report& report = run.report;
  if (report.status == Status::kOk) return result_text(run);
  if (report.status == Status::kDegraded) {
    return text("run.degraded", facts(report)) + '\n' + result_text(run);
  }
  if (report.reason == "artifact_missing") {
    Texts values = facts(report);
    values.emplace_back("file", report.output);
    return text("run.artifact_missing", values) + '\n' + text("run.artifact_missing.next", values);
  }
  const char* next = report.status == Status::kCancelled ? "run.cancelled.next" : "run.ended.next";
  return text("run.ended", facts(report)) + failures_text(report) + '\n' +
         text(next, facts(report));
}

}  // namespace

tool::Answer answer_of(const Run& run) {
  const Report& report = run.report;
  tool::Answer answer{.is_error = !succeeded(report.status), .text = told(run)};
  answer.meta["io.helve/run"] = JsonObject{
      {"id", report.id},
      {"status", name(report.status)},
      {"ms", std::chrono::duration_cast<std::chrono::milliseconds>(report.duration).count()},
      {"failures", report.failures.size()}};
  return answer;
}

}  // namespace helve::commands
