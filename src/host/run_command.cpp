// `helve run` up to the moment where something would run; run.cpp executes.
#include <charconv>

#include "base/text.h"
#include "base/texts.h"
#include "commands/plan_text.h"
#include "host/detail/fields.h"
#include "host/problems.h"
#include "host/run.h"
#include "host/values.h"

namespace helve::host {
namespace {

namespace fs = std::filesystem;

bool is_file_name(std::string_view tool) { return tool.contains('/') || tool.ends_with(".json"); }

// -t takes JSON where it is JSON, and a command otherwise: `[ -f x ]` is a command.
std::string template_json(const std::string& given) {
  const std::string_view trimmed = trim(given);
  if (trimmed.starts_with('{') || trimmed.starts_with('[')) {
    if (const auto parsed = parse_json(trimmed)) return std::string(trimmed);
  }
  return write_json(Json(given));
}

std::vector<Problem> errors_of(const Config& config) {
  std::vector<Problem> errors = config.problems;
  std::erase_if(errors, [](const Problem& problem) { return !problem.is_error(); });
  return errors;
}

// The one tool of -t or of a file, or else why there is none.
Result<ToolConfig> take_single(Config& single, std::string_view called_as, Refusal broken,
                               std::vector<Problem>& errors) {
  if (!single.tools.empty()) {
    single.tools.front().called_as = called_as;
    return std::move(single.tools.front());
  }
  errors = errors_of(single);
  // A file that cannot be read has no place to point at.
  if (errors.size() == 1 && errors.front().at.line == 0) {
    return std::unexpected(std::exchange(errors, {}).front().finding.what);
  }
  return std::unexpected(std::move(broken));
}

// `helve run helve.json`: how one of its tools is run.
std::unexpected<Refusal> refuse_configuration(const Config& found, const Config& here,
                                              const std::string& file) {
  std::vector<std::string> names;
  for (const std::string_view name : found.tool_names()) names.emplace_back(name);
  const std::string option =
      found.project == here.project ? "" : "--config " + shell_quote(file) + ' ';
  const std::string tool = names.empty() ? text("run.some_tool") : names.front();
  return refuse("run.is_configuration",
                {{"file", file},
                 {"tools", names.empty() ? text("run.no_tools") : join(names, ", ")},
                 {"call", "helve " + option + "run " + tool}});
}

Result<ToolConfig> take_file(const Config& config, const std::string& file,
                             const Surroundings& around, std::vector<Problem>& errors) {
  Config single = load_recipe(file, around, config.template_limits);
  if (!single.project.empty()) return refuse_configuration(single, config, file);
  return take_single(single, file, refuse("run.file_errors", {{"file", file}}).error(), errors);
}

Result<ToolConfig> take_inline(const Config& config, const std::string& written,
                               const Surroundings& around, std::vector<Problem>& errors) {
  Config single = load_text(template_json(written), Kind::kRecipe, "template", "-t", around,
                            config.template_limits);
  return take_single(single, "-t TEMPLATE", refuse("run.template_errors").error(), errors);
}

Result<ToolConfig> take_tool(const Config& config, const RunCommand& command,
                             const Surroundings& around, std::vector<Problem>& errors) {
  const std::string& name = command.tool;
  if (!command.inline_template.empty()) {
    return take_inline(config, command.inline_template, around, errors);
  }
  if (is_file_name(name)) return take_file(config, name, around, errors);
  if (name.empty()) return refuse("run.nothing_named");
  if (const ToolConfig* tool = config.find(name)) return *tool;
  errors = errors_of(config);
  if (!errors.empty()) return refuse("config.errors");
  return refuse("host.no_such_tool", {{"tool", name}, {"hint", hint(name, config.tool_names())}});
}

Result<std::int64_t> read_jobs(const RunCommand& command, const Config& config) {
  if (command.jobs.empty()) return config.jobs.value_or(kUsualJobs);
  std::int64_t jobs = 0;
  const char* const end = command.jobs.data() + command.jobs.size();
  const auto [stop, error] = std::from_chars(command.jobs.data(), end, jobs);
  if (error == std::errc() && stop == end && jobs >= 1 && jobs <= kMostJobs) return jobs;
  return refuse("run.jobs_invalid", {{"jobs", command.jobs}, {"most", std::to_string(kMostJobs)}});
}

// A relative `cwd` is read from the root; without one the steps run in the current folder.
Result<fs::path> folder_of(const ToolConfig& tool, const RunCommand& command, const Config& config,
                           const Surroundings& around) {
  fs::path folder = around.cwd;
  if (tool.cwd.is_absolute()) {
    folder = tool.cwd.lexically_normal();
  } else if (!tool.cwd.empty()) {
    const Result<fs::path> root = find_root(command.locations, config.project, around);
    if (!root) return root;
    folder = (*root / tool.cwd).lexically_normal();
  }
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return folder;
  return refuse("run.folder_missing", {{"folder", folder.string()}, {"tool", tool.name}});
}

// Reports are kept with the project; without one, with the folder that the run was started in.
fs::path state_of(const RunCommand& command, const Config& config, const Surroundings& around) {
  const Result<fs::path> root = find_root(command.locations, config.project, around);
  return state_folder(root.value_or(around.cwd), around);
}

Result<void> plan(RunRequest& request, const Surroundings& around) {
  Result<tmpl::Plan> plan =
      request.tool.compiled.expand(request.values, {.cwd = request.folder.string(),
                                                    .home = around.home.string(),
                                                    .secret = request.tool.secret});
  if (!plan) return std::unexpected(plan.error());
  request.plan = *std::move(plan);
  return {};
}

int print_problems(Refusal refusal, const std::vector<Problem>& errors, const RunCommand& command,
                   Console& console, const Surroundings& around) {
  JsonArray findings;
  for (const Problem& problem : errors) {
    if (command.json) {
      findings.push_back(problem_json(problem, around));
    } else {
      console.err << problem_text(problem, around, console.color_err);
    }
  }
  if (!findings.empty()) refusal.details = JsonObject{{"findings", std::move(findings)}};
  return print_refusal(console, refusal, command.json);
}

}  // namespace

Result<RunRequest> prepare(const RunCommand& command, const Surroundings& around,
                           std::vector<Problem>& errors) {
  if (const auto root = check_root(command.locations, around); !root) {
    return std::unexpected(root.error());
  }
  const Config config = load(command.locations, around);
  Result<ToolConfig> tool = take_tool(config, command, around, errors);
  if (!tool) return std::unexpected(tool.error());
  if (const auto& reason = tool->blocked) return std::unexpected(*reason);
  const Result<std::int64_t> jobs = read_jobs(command, config);
  if (!jobs) return std::unexpected(jobs.error());
  Result<fs::path> folder = folder_of(*tool, command, config, around);
  if (!folder) return std::unexpected(folder.error());
  Result<JsonObject> values = read_values(*tool, command.words, command.values, around);
  if (!values) return std::unexpected(values.error());
  RunRequest request{
      .variables = std::make_shared<Variables>(step_variables(config, *tool, around)),
      .limits = config.process_limits,
      .streams = config.streams,
      .jobs = *jobs,
      .report = command.report.empty() ? fs::path() : absolute(command.report, around),
      .state = state_of(command, config, around),
      .json = command.json,
      .quiet = command.quiet,
      .tail = command.tail,
      .standard_input = command.standard_input};
  request.tool = *std::move(tool);
  request.values = *std::move(values);
  request.folder = *std::move(folder);
  if (const auto planned = plan(request, around); !planned) {
    return std::unexpected(planned.error());
  }
  return request;
}

int run_command(const RunCommand& command, Console& console, const Surroundings& around) {
  std::vector<Problem> errors;
  const Result<RunRequest> request = prepare(command, around, errors);
  if (!request) {
    return print_problems(request.error(), errors, command, console, around);
  }
  if (!command.dry_run) return execute(*request, console);
  if (command.json) {
    console.out << write_json(commands::plan_json(request->plan), JsonStyle::kPretty) << '\n';
  } else {
    console.out << commands::plan_text(request->plan);
  }
  return kDone;
}

}  // namespace helve::host
