#include "host/detail/starting.h"
#include "base/text.h"
#include "base/texts.h"
#include "host/problems.h"
#include "process/warden.h"

namespace helve::host {

std::expected<Starting, int> load_to_serve(const Locations& locations, Console& console,
                                           const Surroundings& around) {
  Config config = load(locations, around);
  if (config.has_errors()) return std::unexpected(refuse_start(config, console, around));
  Result<std::filesystem::path> root = find_root(locations, config.project, around);
  if (!root) return std::unexpected(print_refusal(console, root.error()));
  if (config.files.empty()) {
    const std::string folder = absolute(locations.root, around).string();
    console.err << text("mcp.no_configuration", {{"folder", flatten_controls(folder)}}) << '\n';
  }
  if (!process::start_warden()) console.err << text("serve.no_warden") << '\n';
  return Starting{std::move(config), *std::move(root)};
}

std::function<void(const Config&)> apply_to(Service& service, Console& console) {
  return [&service, &console](const Config& config) {
    if (auto applied = service.apply(config); !applied) print_refusal(console, applied.error());
    if (!service.has_workspace_of(config)) {
      console.err << text("reload.workspace_at_start") << '\n' << std::flush;
    }
  };
}

}  // namespace helve::host
