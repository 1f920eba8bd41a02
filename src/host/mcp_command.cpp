// `helve mcp` up to the first message; serve.cpp goes on.
#include "base/text.h"
#include "base/texts.h"
#include "host/problems.h"
#include "host/serve.h"

namespace helve::host {

int mcp_command(const Locations& locations, Console& console, const Surroundings& around) {
  Config config = load(locations, around);
  if (config.has_errors()) return refuse_start(config, console, around);
  Result<std::filesystem::path> root = find_root(locations, config.project, around);
  if (!root) return print_refusal(console, root.error());
  if (config.files.empty()) {
    const std::string folder = absolute(locations.root, around).string();
    console.err << text("mcp.no_configuration", {{"folder", flatten_controls(folder)}}) << '\n';
  }
  return serve({.config = std::move(config), .root = *std::move(root), .around = around}, console);
}

}  // namespace helve::host
