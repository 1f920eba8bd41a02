#include "commands/report.h"

#include <cmath>
#include <map>

#include "base/text.h"
#include "base/texts.h"
#include "commands/stream.h"

namespace helve::commands {
namespace {

constexpr char kSchema[] = {
#embed "report.schema.json"
};

constexpr size_t kShortestSecret = 4;  // shorter ones would mask ordinary text
constexpr size_t kKeptText = 8 * 1024;
constexpr size_t kLabelLength = 200;
constexpr size_t kNameLength = 60;       // bytes of a command line as a step's name
constexpr size_t kFailureStderr = 1000;  // characters of a failure's stderr

// Milliseconds with three digits behind the point.
double ms(Duration duration) {
  return std::round(std::chrono::duration<double, std::micro>(duration).count()) / 1000;
}

Json to_json(const Kept& kept) {
  JsonObject out{{"text", kept.text}, {"bytes", kept.bytes}, {"truncated", kept.truncated}};
  if (!kept.file.empty()) out["file"] = kept.file;
  if (kept.file_truncated) out["file_truncated"] = true;
  return out;
}

void add_coverage(JsonObject& out, const Coverage& c) {
  out["expected"] = c.expected;
  out["done"] = c.done;
  out["failed"] = c.failed;
  out["skipped"] = c.skipped;
  out["coverage"] =
      c.expected == 0 ? 1.0 : static_cast<double>(c.done) / static_cast<double>(c.expected);
  out["degraded"] = c.degraded;
  out["usable"] = c.done > 0;
}

JsonArray words(const std::vector<std::string>& argv) {
  JsonArray out;
  out.reserve(argv.size());
  for (const std::string& word : argv) out.emplace_back(word);
  return out;
}

void add_run(JsonObject& out, const StepRun& run, std::string_view cwd) {
  out["argv"] = words(run.step->shown.empty() ? run.step->argv : run.step->shown);
  out["cwd"] = cwd;
  out["attempt"] = run.attempt;
  out["attempts"] = run.step->retry;
  if (run.group_attempt > 0) out["group_attempt"] = run.group_attempt;
  if (run.recover) out["recover"] = true;
  out["exit"] = run.exit;
  if (run.signal != 0) out["signal"] = run.signal;
  if (run.killed) out["killed"] = true;
  if (run.lingered) out["lingered"] = true;
  out["started_at"] = utc_text(run.started_at);
  out["cpu_ms"] = ms(run.cpu);
  out["stdout"] = to_json(run.out);
  out["stderr"] = to_json(run.err);
}

Json failure_json(const Report& report, size_t index) {
  const StepRun& run = report.steps[index];
  JsonObject out{{"step", index}, {"path", run.step->path}};
  if (!run.step->label.empty()) out["label"] = run.step->label;
  out["status"] = name(run.status);
  out["exit"] = run.exit;
  if (!run.reason.empty()) out["reason"] = run.reason;
  if (!run.err.text.empty()) out["stderr"] = tail_text(run.err.text, kFailureStderr);
  return out;
}

Json to_json(const ParallelRun& parallel) {
  JsonObject out{{"path", parallel.step->path}};
  if (!parallel.step->label.empty()) out["label"] = parallel.step->label;
  Coverage coverage;
  JsonArray children;
  for (const BranchRun& child : parallel.children) {
    coverage.count(child.status);
    JsonObject row{{"label", child.label}, {"status", name(child.status)}};
    if (child.status != Status::kSkipped) row["exit"] = child.exit;
    if (!child.reason.empty()) row["reason"] = child.reason;
    children.emplace_back(std::move(row));
  }
  add_coverage(out, coverage);
  out["children"] = std::move(children);
  return out;
}

Json to_json(const Finding& finding) {
  JsonObject out{{"rule", finding.what.rule}, {"message", render(finding.what).message}};
  if (!finding.pointer.empty()) out["pointer"] = finding.pointer;
  return out;
}

std::string cut(const std::string& text, size_t length) {
  return text.size() <= length ? text : text.substr(0, utf8_floor(text, length)) + "…";
}

}  // namespace

std::string_view name(Status status) {
  constexpr std::string_view kNames[] = {"ok",        "degraded",  "failed",
                                         "timed_out", "cancelled", "skipped"};
  return kNames[static_cast<size_t>(status)];
}

std::string_view join_name(Status status) {
  if (status == Status::kOk) return "done";
  if (status == Status::kTimedOut) return "timeout";
  return name(status);
}

std::string_view name(tmpl::Failure scope) {
  constexpr std::string_view kNames[] = {"continue", "branch", "root"};
  return kNames[static_cast<size_t>(scope)];
}

std::string step_name(const tmpl::Step& step) {
  if (!step.label.empty()) return cut(step.label, kLabelLength);
  const auto& argv = step.shown.empty() ? step.argv : step.shown;
  if (argv.empty()) return step.path;
  const std::string line = flatten_controls(to_utf8(shell_quote(argv)));
  return cut(line, kNameLength);
}

std::string mask(std::string text, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    if (secret.size() < kShortestSecret) continue;
    for (size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
      text.replace(at, secret.size(), "***");
    }
  }
  return text;
}

Kept keep(std::string_view tail, std::uint64_t bytes, const std::vector<std::string>& secrets) {
  // Masked before it is cut, or a part of a secret could stay at the cut.
  return {.text = secrets.empty() ? tail_text(tail, kKeptText)
                                  : tail_text(mask(std::string(tail), secrets), kKeptText),
          .bytes = bytes,
          .truncated = bytes > kKeptText};
}

void Coverage::count(Status status) {
  if (status == Status::kSkipped) {
    ++skipped;
    return;
  }
  ++expected;
  if (succeeded(status)) {
    ++done;
  } else {
    ++failed;
  }
  if (status != Status::kOk) degraded = true;
}

Coverage Report::coverage() const {
  std::map<const tmpl::Step*, Status> last;  // of each leaf, its last attempt
  for (const StepRun& run : steps) {
    if (!run.recover && run.step->kind == tmpl::Step::Kind::kLeaf) last[run.step] = run.status;
  }
  Coverage coverage;
  for (const auto& [_, end] : last) coverage.count(end);
  return coverage;
}

Json to_json(const StepRun& run, const Report& report) {
  JsonObject out{{"path", run.step->path}};
  if (!run.step->label.empty()) out["label"] = run.step->label;
  if (run.step->repeat_index) out["repeat_index"] = *run.step->repeat_index;
  out["status"] = name(run.status);
  if (!run.reason.empty()) out["reason"] = run.reason;
  if (run.ran) add_run(out, run, report.cwd);
  if (!run.step->output.empty()) out["output"] = mask(run.step->output, report.secrets);
  out["start_ms"] = ms(run.start);
  out["duration_ms"] = ms(run.duration);
  if (run.scope) out["scope_applied"] = name(*run.scope);
  return out;
}

Json to_json(const Report& report) {
  JsonObject out{{"format", "helve-run/1"}, {"id", report.id}};
  if (!report.tool.empty()) out["tool"] = report.tool;
  out["arguments"] = report.arguments;
  out["status"] = name(report.status);
  out["exit"] = report.exit;
  if (!report.reason.empty()) out["reason"] = report.reason;
  out["result"] = to_json(report.result);
  out["output"] = mask(report.output, report.secrets);
  out["cwd"] = report.cwd;
  out["started_at"] = utc_text(report.started_at);
  out["duration_ms"] = ms(report.duration);
  JsonObject coverage;
  add_coverage(coverage, report.coverage());
  out["coverage"] = std::move(coverage);
  JsonArray failures;
  for (const size_t index : report.failures) failures.push_back(failure_json(report, index));
  out["failures"] = std::move(failures);
  JsonArray steps;
  steps.reserve(report.steps.size());
  for (const StepRun& run : report.steps) steps.push_back(to_json(run, report));
  out["steps"] = std::move(steps);
  JsonArray branches;
  for (const ParallelRun& parallel : report.branches) branches.push_back(to_json(parallel));
  out["branches"] = std::move(branches);
  JsonArray warnings;
  for (const Finding& finding : report.warnings) warnings.push_back(to_json(finding));
  out["warnings"] = std::move(warnings);
  return out;
}

std::string_view report_schema() { return {kSchema, sizeof kSchema}; }

}  // namespace helve::commands
