// tool/job_tools.h
//
// The tools that a model follows jobs with: job_output, job_stop and, deferred, job_list.
#pragma once

#include "tool/registry.h"

namespace helve::tool {

Result<void> add_job_tools(Registry& registry);

}  // namespace helve::tool
