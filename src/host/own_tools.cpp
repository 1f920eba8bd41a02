#include "host/own_tools.h"

#include <algorithm>

#include "host/workspace_settings.h"
#include "tool/job_tools.h"
#include "tool/search_tools.h"

namespace helve::host {
namespace {

constexpr std::string_view kNames[] = {
    "bash",         "bash_output", "bash_stop",   "read",        "write",     "edit",
    "job_output",   "job_stop",    "job_list",    "tool_search", "tool_call", "note_write",
    "note_replace", "note_delete", "note_search", "note_read",   "note_list", "note_history"};

using Make = tool::Tool (*)(const std::shared_ptr<workspace::Workspace>&);

}  // namespace

// The order of WS-1: what follows jobs comes right behind bash.
Result<void> add_own_tools(tool::Registry& registry, const Config& config,
                           const std::shared_ptr<workspace::Workspace>& workspace) {
  const auto add = [&](std::string_view name, Make make) -> Result<void> {
    if (!is_offered(config, name)) return {};
    return registry.add(make(workspace));
  };
  if (auto added = add("bash", workspace::bash_tool); !added) return added;
  registry.job_names = job_names(config);
  auto jobs = is_offered(config, "bash") ? tool::add_bash_job_tools(registry)
                                         : tool::add_job_tools(registry);
  if (!jobs) return jobs;
  if (auto added = add("read", workspace::read_tool); !added) return added;
  if (auto added = add("write", workspace::write_tool); !added) return added;
  if (auto added = add("edit", workspace::edit_tool); !added) return added;
  return tool::add_search_tools(registry);
}

tool::JobNames job_names(const Config& config) {
  return is_offered(config, "bash") ? tool::bash_job_names() : tool::JobNames{};
}

std::span<const std::string_view> own_tool_names() { return kNames; }

bool is_own_tool(std::string_view name) {
  return std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace helve::host
