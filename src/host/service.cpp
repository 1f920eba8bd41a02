#include "host/service.h"

#include "base/hash.h"
#include "base/texts.h"
#include "commands/template_tool.h"
#include "host/own_tools.h"
#include "host/workspace_settings.h"
#include "process/leftovers.h"
#include "tool/definitions.h"

namespace helve::host {
namespace {

// R15: where the tools work, and how what is not in the list is reached.
mcp::ServerInfo info_of(const ServiceRequest& request) {
  const tool::JobNames names = job_names(request.config);
  std::string instructions =
      text("serve.instructions",
           {{"root", request.root.string()}, {"output", names.output}, {"stop", names.stop}});
  if (const auto& environment = request.config.workspace.environment) {
    instructions += ' ' + text("serve.instructions.environment", {{"prefix", environment->prefix}});
  }
  return {.name = "helve", .version = HELVE_VERSION, .instructions = std::move(instructions)};
}

// What an approval that is remembered holds for: what would run, where, with which variables.
std::string digest_of(const ToolConfig& tool, const Variables& variables,
                      const std::filesystem::path& folder) {
  JsonObject set;
  for (const auto& [name, value] : variables) set[name] = value;
  return sha256_hex(write_json(JsonArray{tool.node, folder.string(), std::move(set)}));
}

Duration stop_grace_of(const WorkspaceConfig& workspace) {
  if (!workspace.stop_grace_ms) return tool::Sessions::Limits().stop_grace;
  return std::chrono::milliseconds(*workspace.stop_grace_ms);
}

}  // namespace

Service::~Service() { jobs_->forget_daemon(); }

Service::Service(os::Loop& loop, const ServiceRequest& request)
    : loop_(loop),
      root_(request.root),
      around_(request.around),
      usual_(request.usual),
      at_start_(request.config.workspace),
      store_(state_folder(request.root, request.around) / "runs"),
      calls_(loop, state_folder(request.root, request.around)),
      jobs_(std::make_shared<tool::JobStore>(loop,
                                             state_folder(request.root, request.around) / "jobs")),
      workspace_(std::make_shared<workspace::Workspace>(
          loop, workspace_settings(request.config, request.root, request.around, request.reach))),
      sessions_({.jobs = request.config.calls.session_jobs,
                 .stop_grace = stop_grace_of(request.config.workspace)}),
      server_(registry_, info_of(request)) {}

Result<void> Service::start(const Config& config) {
  if (auto written = write_refusing_editor(workspace_->settings.state); !written) return written;
  if (auto added = add_own_tools(registry_, config, workspace_); !added) return added;
  jobs_->note_daemon(process::own_marks());
  sessions_.keep_jobs(jobs_);
  registry_.on_called([this](const tool::CallRecord& record) { calls_.add(record); });
  loop_.spawn(end_leftovers());
  registry_.add(commands::run_resources(store_));
  registry_.add(tool::tool_definitions(registry_));
  return apply(config);
}

boost::asio::awaitable<void> Service::end_leftovers() {
  const std::vector<std::string> marks = co_await jobs_->lost();
  if (!marks.empty()) co_await loop_.on_pool([&] { process::end_leftovers(marks); });
}

commands::TemplateTool Service::definition_of(const Config& config, const ToolConfig& tool) const {
  const auto jobs = static_cast<size_t>(config.jobs.value_or(kUsualJobs));
  const std::filesystem::path folder = (root_ / tool.cwd).lexically_normal();
  auto variables = std::make_shared<const Variables>(step_variables(config, tool, around_));
  std::string digest = digest_of(tool, *variables, folder);
  policy::Confinement fence = fence_of(tool, digest);
  return {.name = tool.name,
          .description = tool.description,
          .arg_descriptions = tool.arg_descriptions,
          .secret = tool.secret,
          .compiled = tool.compiled,
          .digest = std::move(digest),
          .home = around_.home,
          .runner = {.cwd = folder,
                     .variables = std::move(variables),
                     .jobs = jobs,
                     .spill_bytes = config.streams.spill_bytes,
                     .pipe_bytes = config.streams.pipe_bytes,
                     .die_with_parent = true,
                     .confinement = std::move(fence)},
          .width = jobs,
          .title = tool.title,
          .read_only = tool.read_only,
          .destructive = tool.destructive,
          .idempotent = tool.idempotent,
          .open_world = tool.open_world,
          .deferred = tool.deferred,
          .detach = tool.detach};
}

// The agent itself may write recipes with a `bash` that is fenced in: what comes or changes while
// we serve stays in the same fence, until a person starts the server anew.
policy::Confinement Service::fence_of(const ToolConfig& tool, const std::string& digest) const {
  const bool is_new = started_ && !tools_at_start_.contains(digest);
  const policy::Confinement& of_bash = workspace_->settings.confinement;
  if (is_new && of_bash.level != policy::Confine::kNone) return of_bash;
  return confinement_of(tool.confinement.value_or(policy::Confinement{}), root_, around_);
}

Result<void> Service::apply(const Config& config) {
  std::vector<tool::Tool> tools;
  std::vector<tool::Prompt> prompts;
  for (const ToolConfig& tool : config.tools) {
    auto definition = definition_of(config, tool);
    if (!started_) tools_at_start_.insert(definition.digest);
    if (tool.prompt) {
      prompts.push_back(commands::as_prompt(std::move(definition), loop_, store_));
    } else {
      tools.push_back(commands::as_tool(std::move(definition), loop_, store_));
    }
  }
  if (auto set = registry_.set_owned(std::move(tools), std::move(prompts)); !set) return set;
  policy::Policy policy = config.policy;
  policy.usual = usual_;
  policy.limits = config.process_limits;
  registry_.set_policy(std::move(policy));
  sessions_.limit_jobs(config.calls.session_jobs);
  registry_.wait = std::chrono::milliseconds(config.calls.wait_ms);
  started_ = true;
  return {};
}

}  // namespace helve::host
