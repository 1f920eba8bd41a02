// `helve mcp`, once the configuration has no errors: the registry, the server, the loop.
#include "host/serve.h"

#include "base/texts.h"
#include "commands/template_tool.h"
#include "host/problems.h"
#include "host/run_store.h"
#include "mcp/server.h"
#include "mcp/stdio.h"
#include "process/warden.h"

namespace helve::host {
namespace {

commands::TemplateTool definition_of(const ToolConfig& tool, const ServeRequest& request) {
  const auto jobs = static_cast<size_t>(request.config.jobs.value_or(kUsualJobs));
  return {.name = tool.name,
          .description = tool.description,
          .arg_descriptions = tool.arg_descriptions,
          .secret = tool.secret,
          .compiled = tool.compiled,
          .home = request.around.home,
          .runner = {.permit = policy::Permit::owner(request.config.process_limits),
                     .cwd = (request.root / tool.cwd).lexically_normal(),
                     .variables = std::make_shared<const Variables>(
                         step_variables(request.config, tool, request.around)),
                     .jobs = jobs,
                     .spill_bytes = request.config.streams.spill_bytes,
                     .pipe_bytes = request.config.streams.pipe_bytes,
                     .die_with_parent = true},
          .width = jobs};
}

// R15: where the tools work.
std::string instructions_of(const ServeRequest& request) {
  return text("serve.instructions", {{"root", request.root.string()}});
}

}  // namespace

int serve(const ServeRequest& request, Console& console) {
  os::Loop loop;
  RunStore store(state_folder(request.root, request.around) / "runs");
  tool::Registry registry;
  for (const ToolConfig& tool : request.config.tools) {
    auto added = registry.add(commands::as_tool(definition_of(tool, request), loop, store));
    if (!added) return print_refusal(console, added.error());
  }
  registry.add(commands::run_resources(store));
  if (!process::start_warden()) console.err << text("serve.no_warden") << '\n';
  mcp::Server server(
      registry,
      {.name = "helve", .version = HELVE_VERSION, .instructions = instructions_of(request)});
  loop.spawn(mcp::serve_stdio(loop, server));
  loop.run();
  return kDone;
}

}  // namespace helve::host
