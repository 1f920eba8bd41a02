#include "host/places.h"

#include "base/hash.h"

namespace helve::host {
namespace {

namespace fs = std::filesystem;

fs::path real(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : found;
}

bool is_too_wide(const fs::path& folder, const Surroundings& around) {
  const fs::path at = real(folder);
  return at == at.root_path() || (!around.home.empty() && at == real(around.home));
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

// Where the XDG variable points, if absolute as its specification wants; else below the home.
fs::path xdg(const Surroundings& around, const char* variable, const char* below_home) {
  fs::path named = around.variable(variable);
  if (named.is_absolute()) return named;
  return around.home.empty() ? fs::path() : around.home / below_home;
}

fs::path nearest(const Surroundings& around) {
  for (fs::path folder = around.cwd; !is_too_wide(folder, around); folder = folder.parent_path()) {
    if (is_file(folder / kProjectFile)) return folder / kProjectFile;
    if (folder.parent_path() == folder) break;
  }
  return {};
}

}  // namespace

fs::path absolute(const fs::path& path, const Surroundings& around) {
  fs::path whole = (around.cwd / path).lexically_normal();
  if (!whole.has_filename() && whole != whole.root_path()) whole = whole.parent_path();
  return whole;
}

std::string shown_path(const fs::path& path, const Surroundings& around) {
  // Hosts start programs in "/", where everything is below and a short path says too little.
  if (!path.is_absolute() || around.cwd == around.cwd.root_path()) return path.string();
  const fs::path relative = path.lexically_relative(around.cwd);
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

fs::path project_file(const Locations& locations, const Surroundings& around) {
  if (!locations.config.empty()) return absolute(locations.config, around);
  if (locations.root.empty()) return nearest(around);
  const fs::path file = absolute(locations.root, around) / kProjectFile;
  return is_file(file) ? file : fs::path();
}

fs::path user_file(const Surroundings& around) {
  const fs::path folder = xdg(around, "XDG_CONFIG_HOME", ".config");
  return folder.empty() ? fs::path() : folder / "helve" / kProjectFile;
}

Result<fs::path> find_root(const Locations& locations, const fs::path& project,
                           const Surroundings& around) {
  fs::path root = around.cwd;
  if (!locations.root.empty()) {
    root = absolute(locations.root, around);
  } else if (!project.empty()) {
    root = project.parent_path();
  }
  std::error_code ignored;
  if (!fs::is_directory(root, ignored)) {
    return refuse("workspace.not_a_folder", {{"folder", root.string()}});
  }
  if (is_too_wide(root, around)) return refuse("workspace.absent", {{"folder", root.string()}});
  return root;
}

Result<void> check_root(const Locations& locations, const Surroundings& around) {
  const fs::path root = absolute(locations.root, around);
  std::error_code ignored;
  if (locations.root.empty() || fs::is_directory(root, ignored)) return {};
  return refuse("workspace.not_a_folder", {{"folder", root.string()}});
}

fs::path state_folder(const fs::path& root, const Surroundings& around) {
  return xdg(around, "XDG_STATE_HOME", ".local/state") / "helve" /
         sha256_hex(real(root).string()).substr(0, 16);
}

}  // namespace helve::host
