#include "commands/template_tool.h"

#include "base/text.h"
#include "base/texts.h"
#include "commands/detail/answer.h"
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

  void started(const StepRun& /*run*/) override {}

  void finished(const StepRun& run) override {
    if (!run.ran || run.recover) return;
    const bool last_attempt = succeeded(run.status) || run.attempt >= run.step->retry;
    if (last_attempt && done_ < total_) ++done_;
    const auto now = Clock::now();
    if (succeeded(run.status) && now - told_ < kQuiet) return;
    told_ = now;
    progress_({.done = done_, .total = total_, .message = message(run)});
  }

 private:
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

asio::awaitable<Result<tool::Answer>> call_tool(const TemplateTool& definition, os::Loop& loop,
                                                tool::Reports& reports, tool::Call& call) {
  auto plan = definition.compiled.expand(
      call.arguments,
      {.cwd = definition.runner.cwd, .home = definition.home, .secret = definition.secret});
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

tool::Tool as_tool(TemplateTool definition, os::Loop& loop, tool::Reports& reports) {
  const auto shared = std::make_shared<const TemplateTool>(std::move(definition));
  const auto& risks = shared->compiled.risks();
  const auto has = [&](std::string_view risk) {
    return std::find(risks.begin(), risks.end(), risk) != risks.end();
  };
  return {.name = shared->name,
          .description = shared->description,
          .input = shared->compiled.input_schema(shared->arg_descriptions),
          .annotations = {.title = shared->name,
                          .destructive = has("risk.destructive_fs") || has("risk.broad_fs_write") ||
                                         has("risk.shell") || has("risk.eval"),
                          .open_world = has("risk.network") || has("risk.external_side_effect") ||
                                        has("risk.shell") || has("risk.eval")},
          .run = [shared, &loop,
                  &reports](tool::Call& call) { return call_tool(*shared, loop, reports, call); },
          .read = [shared](const JsonObject& values) { return shared->compiled.normalise(values); },
          .secret = shared->secret};
}

tool::ResourceProvider run_resources(tool::Reports& reports) {
  tool::ResourceProvider provider{.prefix = std::string(kRunUri)};
  provider.templates = {{.uri_template = std::string(kRunUri) + "{id}",
                         .name = "run",
                         .description = text("resource.run"),
                         .mime_type = "application/json"},
                        {.uri_template = std::string(kRunUri) + "{id}" + std::string(kResultPart),
                         .name = "run-result",
                         .description = text("resource.run_result"),
                         .mime_type = "text/plain"}};
  provider.list = [](tool::Session& session) {
    std::vector<tool::Resource> resources;
    for (const std::string& handle : session.handles()) {
      if (!handle.starts_with("run_")) continue;
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
