// host/own_tools.h
//
// The tools that every server has beside the owner's. Their names are taken, whether they are
// offered or not. Loop thread only.
#pragma once

#include <span>
#include <string_view>

#include "host/config.h"
#include "tool/registry.h"
#include "workspace/workspace.h"

namespace helve::host {

// Those of the workspace that are offered, the ones that follow jobs, the search.
Result<void> add_own_tools(tool::Registry& registry, const Config& config,
                           const std::shared_ptr<workspace::Workspace>& workspace);

// What the tools are called that follow jobs (decisions, section 6).
tool::JobNames job_names(const Config& config);

// In the order in which they are listed.
std::span<const std::string_view> own_tool_names();
bool is_own_tool(std::string_view name);

}  // namespace helve::host
