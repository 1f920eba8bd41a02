// host/detail/starting.h
//
// What `helve mcp` and `helve serve` do before the first message.
#pragma once

#include <expected>

#include "host/console.h"
#include "host/serve.h"
#include "host/service.h"

namespace helve::host {

struct Starting {
  Config config;  // without errors
  std::filesystem::path root;
};

// The configuration and the root; or the exit code, with everything said.
std::expected<Starting, int> load_to_serve(const Locations& locations, Console& console,
                                           const Surroundings& around);

// Takes over another configuration, or says why not.
std::function<void(const Config&)> apply_to(Service& service, Console& console);

// --print-config; the exit codes.
int print_stdio_config(const ServeCommand& command, Console& console, const Surroundings& around);
int print_http_config(const ServeCommand& command, Console& console, const Surroundings& around);

}  // namespace helve::host
