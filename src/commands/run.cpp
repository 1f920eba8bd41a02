#include "commands/run.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/ids.h"

namespace helve::commands {

namespace asio = boost::asio;

namespace {

constexpr int kArtifactMissing = 1;

void add_texts(const Json& value, std::vector<std::string>& texts) {
  if (value.is_null()) return;
  texts.push_back(value.is_string() ? std::string(as_text(value)) : write_json(value));
  if (!value.is_array()) return;
  for (const Json& item : value.get_array()) add_texts(item, texts);
}

JsonObject masked(JsonObject arguments, const std::vector<std::string>& secret) {
  for (const std::string& name : secret) {
    if (Json* value = arguments.if_contains(name)) *value = "***";
  }
  return arguments;
}

os::UniqueFd open_evidence(const std::filesystem::path& folder) {
  if (folder.empty()) return {};
  return os::UniqueFd(
      ::open((folder / "steps.jsonl").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
}

Kept kept_result(const Stream& result, const RunnerOptions& options) {
  Kept kept = keep(result.tail(), result.bytes, options.secrets);
  if (result.file) kept.file = result.path;
  kept.file_truncated = !result.complete;
  return kept;
}

bool is_cancelled(const Report& report, size_t index) {
  return report.steps[index].status == Status::kCancelled;
}

// CT-94, CT-95: the root's output selects the result of a run that succeeded.
Stream select(const tmpl::Selected& selected, Outcome& outcome, const RunnerOptions& options,
              Report& report) {
  if (selected.is_stdout || !succeeded(outcome.status)) return std::move(outcome.out);
  report.output = selected.text;
  const bool missing =
      selected.text.empty() || ::access((options.cwd / selected.text).c_str(), F_OK) != 0;
  if (selected.is_artifact && missing) {
    outcome.status = Status::kFailed;
    outcome.code = kArtifactMissing;
    outcome.reason = "artifact_missing";
    return {};
  }
  return Stream::of(selected.text);
}

// A stream that a step read on was kept whole for it; of what stays with the report, only the
// beginning. The result stays whole.
void cut_spills(Report& report, const std::filesystem::path& result, std::uint64_t limit) {
  for (StepRun& step : report.steps) {
    Kept& out = step.out;
    if (out.file.empty() || out.bytes <= limit || out.file == result) continue;
    out.file_truncated = ::truncate(out.file.c_str(), static_cast<off_t>(limit)) == 0;
  }
}

void conclude(Report& report, Outcome& outcome) {
  if (outcome.status == Status::kSkipped) outcome.status = Status::kOk;  // CT-68
  report.status = outcome.status;
  report.exit = succeeded(outcome.status) ? 0 : outcome.code;
  report.reason = outcome.reason;
  report.failures = std::move(outcome.failures);
  if (outcome.status != Status::kTimedOut) {
    std::erase_if(report.failures, [&](size_t index) { return is_cancelled(report, index); });
  }
}

}  // namespace

std::vector<std::string> secret_texts(const JsonObject& arguments,
                                      const std::vector<std::string>& secret,
                                      const tmpl::Template& compiled) {
  std::vector<std::string> texts;
  for (const std::string& name : secret) {
    if (const Json* value = find(arguments, name)) add_texts(*value, texts);
    for (const tmpl::Argument& argument : compiled.arguments()) {
      if (argument.name == name && argument.literal_default) {
        add_texts(*argument.literal_default, texts);
      }
    }
  }
  std::ranges::sort(texts, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return texts;
}

asio::awaitable<Run> run_plan(os::Loop& loop, std::shared_ptr<const tmpl::Plan> plan,
                              RunRequest request, tool::Reports* reports, Stop& stop,
                              Observer* observer) {
  Run run{.plan = std::move(plan)};
  Report& report = run.report;
  report.id = new_handle("run");
  report.tool = request.tool;
  report.cwd = request.runner.cwd;
  report.arguments = masked(request.arguments, request.secret);
  report.warnings = std::move(request.warnings);
  report.started_at = WallClock::now();
  report.secrets = request.runner.secrets = std::move(request.secret_texts);
  if (reports != nullptr) {
    auto folder = reports->open(report.id);
    if (folder) {
      request.runner.spills = *std::move(folder);
    } else {  // the run goes on without spills, and says so
      report.warnings.push_back({Finding::Severity::kWarning, "", folder.error()});
    }
  }
  const auto began = Clock::now();
  Outcome outcome;
  {
    ProcessRunner runner(loop, request.runner);
    Recorder recorder(report, open_evidence(request.runner.spills), observer);
    Executor executor(runner, recorder, {.width = request.width, .grace = request.runner.grace});
    outcome = co_await executor.run(run.plan->root, std::move(request.input), stop);
  }
  report.duration = Clock::now() - began;
  run.result = select(run.plan->selected, outcome, request.runner, report);
  conclude(report, outcome);
  cut_spills(report, run.result.path, request.runner.spill_bytes);
  report.result = kept_result(run.result, request.runner);
  run.json = write_json(to_json(report));
  if (!request.runner.spills.empty()) {
    if (const auto stored = reports->finish(report.id, run.json, run.result.tail()); !stored) {
      report.warnings.push_back({Finding::Severity::kWarning, "", stored.error()});
      run.json = write_json(to_json(report));
    }
  }
  co_return run;
}

}  // namespace helve::commands
