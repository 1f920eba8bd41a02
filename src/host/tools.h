// host/tools.h
//
// `helve tools`: the tools of the configuration as a table, one of them in full, or bare names for
// shell completion. Main thread only.
#pragma once

#include <string>

#include "host/config.h"
#include "host/console.h"

namespace helve::host {

struct ToolsRequest {
  std::string name;  // one tool in full; empty: all
  Locations locations;
  bool json = false;
  bool names = false;  // tool names, or with `name` its arguments as "name=" and "name=value"
};

// Refused: host.no_such_tool {tool, hint}, workspace.not_a_folder {folder}.
int tools(const ToolsRequest& request, Console& console, const Surroundings& around);

}  // namespace helve::host
