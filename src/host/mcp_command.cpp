// `helve mcp` up to the first message; serve.cpp goes on.
#include "host/problems.h"
#include "host/serve.h"

namespace helve::host {

int mcp_command(const Locations& locations, Console& console, const Surroundings& around) {
  Config config = load(locations, around);
  if (config.has_errors()) return refuse_start(config, console, around);
  Result<std::filesystem::path> root = find_root(locations, config.project, around);
  if (!root) return print_refusal(console, root.error());
  return serve({.config = std::move(config), .root = *std::move(root), .around = around}, console);
}

}  // namespace helve::host
