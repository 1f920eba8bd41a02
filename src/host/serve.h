// host/serve.h
//
// `helve mcp`: the tools of the configuration over MCP on stdin and stdout. Starts only when the
// configuration has no errors. Main thread only; `serve` runs the event loop to the end.
#pragma once

#include <filesystem>

#include "host/config.h"
#include "host/console.h"

namespace helve::host {

struct ServeRequest {
  Config config;               // without errors
  std::filesystem::path root;  // absolute
  Surroundings around;
};

// Loads, refuses on errors with the words of `check` and without a root; then serves.
int mcp_command(const Locations& locations, Console& console, const Surroundings& around);

// Serves until stdin ends; the exit code.
int serve(const ServeRequest& request, Console& console);

}  // namespace helve::host
