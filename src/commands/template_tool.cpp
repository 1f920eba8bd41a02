#include "commands/template_tool.h"

#include <algorithm>

#include "base/text.h"
#include "base/texts.h"
#include "commands/detail/answer.h"
#include "commands/plan_text.h"
#include "commands/run.h"

namespace helve::commands {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kRunUri = "helve://runs/";
constexpr std::string_view kResultPart = "/result";
constexpr Duration kQuiet = std::chrono::milliseconds(100);  // between two progress messages

// What a run says while it goes on: how many of its leaves are done, and which ended last.
class ProgressObserver : public Observer {
 public:
  ProgressObserver(const tmpl::Plan& plan, std::function<void(tool::Progress)> progress)
      : total_(static_cast<double>(plan.leaves)), progress_(std::move(progress)) {}

  void started(const StepRun& run) override {
    if (run.recover) return;
    tell(text("run.progress.started", {{"step", step_name(*run.step)}}));
  }

  void finished(const StepRun& run) override {
    if (!run.ran || run.recover) return;
    const bool last_attempt = succeeded(run.status) || run.attempt >= run.step->retry;
    if (last_attempt && done_ < total_) ++done_;
    if (failed(run.status)) told_ = {};
    tell(message(run));
  }

 private:
  // A fan-out of short steps is not told step by step; a failure always is.
  void tell(std::string words) {
    const auto now = Clock::now();
    if (now - told_ < kQuiet) return;
    told_ = now;
    progress_({.done = done_, .total = total_, .message = std::move(words)});
  }

  static std::string message(const StepRun& run) {
    const bool more = failed(run.status) && run.attempt < run.step->retry;
    return text(more ? "run.progress.attempt" : "run.progress",
                {{"step", step_name(*run.step)},
                 {"attempt", std::to_string(run.attempt)},
                 {"attempts", std::to_string(run.step->retry)},
                 {"status", text("status." + std::string(name(run.status)))}});
  }

  double total_;
  std::function<void(tool::Progress)> progress_;
  double done_ = 0;
  Clock::time_point told_;
};

Result<tmpl::Plan> expand(const TemplateTool& definition, const JsonObject& arguments) {
  return definition.compiled.expand(
      arguments,
      {.cwd = definition.runner.cwd, .home = definition.home, .secret = definition.secret});
}

// What a person who is asked sees: every argv as it would run, secrets masked.
Result<std::string> preview(const TemplateTool& definition, const JsonObject& arguments) {
  const auto plan = expand(definition, arguments);
  if (!plan) return std::unexpected(plan.error());
  return text("plan.preview",
              {{"plan", plan_text(*plan)}, {"folder", definition.runner.cwd.string()}});
}

asio::awaitable<Result<tool::Answer>> call_tool(const TemplateTool& definition, os::Loop& loop,
                                                tool::Reports& reports, tool::Call& call) {
  auto plan = expand(definition, call.arguments);
  if (!plan) co_return std::unexpected(plan.error());
  const auto shared = std::make_shared<const tmpl::Plan>(*std::move(plan));
  Stop stop;
  call.cancellation->on_request([&stop](Duration grace) { stop.request(grace); });
  ProgressObserver observer(*shared, call.progress);
  RunRequest request{
      .tool = definition.name,
      .arguments = call.arguments,
      .secret = definition.secret,
      .secret_texts = secret_texts(call.arguments, definition.secret, definition.compiled),
      .warnings = definition.compiled.findings(),
      .runner = definition.runner,
      .width = definition.width};
  request.runner.permit = call.permit;
  const Run run = co_await run_plan(loop, shared, std::move(request), &reports, stop, &observer);
  call.cancellation->on_request({});
  call.session.own(run.report.id);
  tool::Answer answer = answer_of(run);
  const std::string uri = std::string(kRunUri) + run.report.id;
  const auto result = std::string(kResultPart);
  // First, since it is where a cut answer sends the reader; the report has only the end of it.
  if (run.report.result.truncated) {
    answer.links.push_back(
        {.uri = uri + result, .name = run.report.id + result, .mime_type = "text/plain"});
  }
  answer.links.push_back({.uri = uri, .name = run.report.id, .mime_type = "application/json"});
  co_return answer;
}

std::unexpected<Refusal> not_found(const std::string& uri) {
  return refuse("resource.not_found", {{"uri", uri}}, JsonObject{{"uri", uri}});
}

// Either of the two resources of a run; a run of another session is as unknown as none.
Result<tool::ResourceBody> read_run(tool::Reports& reports, const tool::Session& session,
                                    const std::string& uri) {
  std::string_view id = uri;
  if (!id.starts_with(kRunUri)) return not_found(uri);
  id.remove_prefix(kRunUri.size());
  const bool wants_result = id.ends_with(kResultPart);
  if (wants_result) id.remove_suffix(kResultPart.size());
  if (!session.owns(id)) return not_found(uri);
  auto body = wants_result ? reports.result(std::string(id)) : reports.report(std::string(id));
  if (!body) return not_found(uri);
  return tool::ResourceBody{.mime_type = wants_result ? "text/plain" : "application/json",
                            .text = to_utf8(*body)};
}

}  // namespace

namespace {

constexpr std::string_view kRiskPrefix = "risk.";

std::vector<std::string> labels_of(const tmpl::Template& compiled) {
  std::vector<std::string> labels;
  for (const std::string& risk : compiled.risks())
    labels.push_back(risk.substr(kRiskPrefix.size()));
  return labels;
}

tool::Annotations annotations_of(const TemplateTool& definition) {
  const std::vector<std::string> labels = labels_of(definition.compiled);
  const auto any = [&](std::initializer_list<std::string_view> wanted) {
    return std::ranges::find_first_of(labels, wanted) != labels.end();
  };
  const bool program = any({"shell", "eval"});  // it may do anything
  return {.title = definition.title.empty() ? definition.name : definition.title,
          .read_only = definition.read_only.value_or(false),
          .destructive = definition.destructive.value_or(
              !definition.read_only.value_or(false) &&
              (program || any({"destructive_fs", "broad_fs_write"}))),
          .idempotent = definition.idempotent.value_or(false),
          .open_world =
              definition.open_world.value_or(program || any({"network", "external_side_effect"}))};
}

// What completion offers for an argument: the values of its enum.
std::vector<std::string> values_of(const Json& schema, std::string_view argument) {
  std::vector<std::string> values;
  const Json* properties = find(schema, "properties");
  const Json* property = properties == nullptr ? nullptr : find(*properties, argument);
  const Json* allowed = property == nullptr ? nullptr : find(*property, "enum");
  if (allowed == nullptr || !allowed->is_array()) return values;
  for (const Json& value : allowed->get_array()) {
    values.push_back(value.is_string() ? std::string(as_text(value)) : write_json(value));
  }
  return values;
}

std::vector<tool::PromptArgument> arguments_of(const TemplateTool& definition, const Json& schema) {
  std::vector<tool::PromptArgument> arguments;
  for (const tmpl::Argument& argument : definition.compiled.arguments()) {
    const auto& property = schema.at("properties").at(argument.name);
    arguments.push_back(
        {.name = argument.name,
         .description = std::string(find_text(property, "description").value_or("")),
         .required = argument.required,
         .values = values_of(schema, argument.name)});
  }
  return arguments;
}

}  // namespace

tool::Tool as_tool(TemplateTool definition, os::Loop& loop, tool::Reports& reports) {
  const auto shared = std::make_shared<const TemplateTool>(std::move(definition));
  return {.name = shared->name,
          .description = shared->description,
          .input = shared->compiled.input_schema(shared->arg_descriptions),
          .annotations = annotations_of(*shared),
          .run = [shared, &loop,
                  &reports](tool::Call& call) { return call_tool(*shared, loop, reports, call); },
          .read = [shared](const JsonObject& values) { return shared->compiled.normalise(values); },
          .secret = shared->secret,
          .deferred = shared->deferred,
          .job = true,
          .detach = shared->detach,
          .labels = labels_of(shared->compiled),
          .digest = shared->digest,
          .preview = [shared](const JsonObject& values) { return preview(*shared, values); }};
}

tool::Prompt as_prompt(TemplateTool definition, os::Loop& loop, tool::Reports& reports) {
  const Json schema = definition.compiled.input_schema(definition.arg_descriptions);
  tool::Prompt prompt{.name = definition.name,
                      .title = definition.title,
                      .description = definition.description,
                      .arguments = arguments_of(definition, schema)};
  tool::Tool source = as_tool(std::move(definition), loop, reports);
  source.job = false;  // a prompt has no handle to give
  prompt.source = std::make_shared<const tool::Tool>(std::move(source));
  return prompt;
}

tool::ResourceProvider run_resources(tool::Reports& reports) {
  const auto runs_of = [](tool::Session& session, std::string_view) {
    std::vector<std::string> runs;
    for (const std::string& handle : session.handles()) {
      if (handle.starts_with("run_")) runs.push_back(handle);
    }
    return runs;
  };
  tool::ResourceProvider provider{.prefix = std::string(kRunUri)};
  provider.templates = {{.uri_template = std::string(kRunUri) + "{id}",
                         .name = "run",
                         .description = text("resource.run"),
                         .mime_type = "application/json",
                         .values = runs_of},
                        {.uri_template = std::string(kRunUri) + "{id}" + std::string(kResultPart),
                         .name = "run-result",
                         .description = text("resource.run_result"),
                         .mime_type = "text/plain",
                         .values = runs_of}};
  provider.list = [runs_of](tool::Session& session) {
    std::vector<tool::Resource> resources;
    for (const std::string& handle : runs_of(session, "id")) {
      resources.push_back({.uri = std::string(kRunUri) + handle,
                           .name = handle,
                           .title = handle,
                           .description = text("resource.run"),
                           .mime_type = "application/json"});
    }
    return resources;
  };
  provider.read = [&reports](tool::Session& session, const std::string& uri) {
    return read_run(reports, session, uri);
  };
  return provider;
}

}  // namespace helve::commands
