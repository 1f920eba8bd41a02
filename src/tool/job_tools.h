// tool/job_tools.h
//
// The tools that a model follows jobs with, whatever tool they are of: job_output, job_stop and,
// deferred, job_list (WS-45 to WS-53).
#pragma once

#include "tool/registry.h"

namespace helve::tool {

Result<void> add_job_tools(Registry& registry);

// The same where the workspace tools are listed: bash_output, bash_stop (decisions, section 6).
Result<void> add_bash_job_tools(Registry& registry);

}  // namespace helve::tool
