#include "host/init.h"

#include "base/texts.h"
#include "os/files.h"

namespace helve::host {
namespace {

constexpr char kStarter[] = {
#embed "../../examples/helve.json"
};

std::filesystem::path target(const Locations& locations, const Surroundings& around) {
  if (!locations.config.empty()) return absolute(locations.config, around);
  return absolute(locations.root, around) / kProjectFile;
}

}  // namespace

int init(const Locations& locations, Console& console, const Surroundings& around) {
  const std::filesystem::path file = target(locations, around);
  const std::string shown = shown_path(file, around);
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) {
    return print_refusal(console, refuse("init.exists", {{"file", shown}}).error());
  }
  if (const auto written = os::write_atomic(file, starter_file(), 0644); !written) {
    return print_refusal(console, written.error());
  }
  console.out << text("init.done", {{"file", shown}}) << '\n';
  return kDone;
}

std::string_view starter_file() { return {kStarter, sizeof kStarter}; }

}  // namespace helve::host
