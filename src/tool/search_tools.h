// tool/search_tools.h
//
// Deferred tools (decisions, section 8): tool_search finds them and answers with their definitions;
// tool_call runs one for hosts that call only what stood in their list.
#pragma once

#include "tool/registry.h"

namespace helve::tool {

// The registry outlives its tools.
Result<void> add_search_tools(Registry& registry);

// A request for tool_call becomes one for the tool that it names, so that policy, progress and jobs
// are those of that tool. Refused: args.invalid, tool.call_itself.
Result<void> unwrap_tool_call(CallRequest& request);

}  // namespace helve::tool
