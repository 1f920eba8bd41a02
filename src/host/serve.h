// host/serve.h
//
// `helve mcp`: the tools of the configuration over MCP on stdin and stdout. `helve serve`: the same
// over HTTP. Both start only when the configuration has no errors, and take over its changes while
// they serve. Main thread only; each runs the event loop to the end.
#pragma once

#include <string>
#include <vector>

#include "host/console.h"
#include "host/places.h"

namespace helve::host {

struct ServeCommand {
  Locations locations;
  std::string listen;                // --listen; empty: what the configuration says
  std::vector<std::string> hosts;    // --allow-host, beside the configuration's
  std::vector<std::string> origins;  // --allow-origin, likewise
  std::string print_config;          // --print-config HOST; empty: serve
};

// Refuses on errors with the words of `check`, and without a root. The exit code.
int mcp_command(const ServeCommand& command, Console& console, const Surroundings& around);

// Refused too: serve.no_hosts {listen}, serve.* of the address, token.*, http.listen_failed.
int serve_command(const ServeCommand& command, Console& console, const Surroundings& around);

}  // namespace helve::host
