#include "host/workspace_settings.h"

#include <algorithm>

#include "os/files.h"
#include "workspace/variables.h"

namespace helve::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEditor = "no-editor";
constexpr const char* kOwnFolder = ".helve";

fs::path real(const fs::path& path) {
  std::error_code ignored;
  const fs::path found = fs::weakly_canonical(path, ignored);
  return ignored ? path.lexically_normal() : found;
}

std::string shell_of(const WorkspaceConfig& configured) {
  if (!configured.shell.empty()) return configured.shell;
  std::error_code ignored;
  return fs::exists("/bin/bash", ignored) ? "/bin/bash" : "/bin/sh";
}

fs::path temporary_folder(const Surroundings& around) {
  const std::string named = around.variable("TMPDIR");
  return real(named.empty() ? "/tmp" : named);
}

Variables without_secrets(const Config& config, const Surroundings& around) {
  Variables variables = around.variables;
  for (const std::string& secret : config.secrets) variables.erase(secret);
  return variables;
}

// What no tool writes: this configuration, what it was read from, and our own state.
std::vector<fs::path> configuration_of(const Config& config, const fs::path& root,
                                       const fs::path& state) {
  std::vector<fs::path> paths{root / kProjectFile, root / kRecipeFolder, root / kOwnFolder, state};
  for (const fs::path& file : config.files) paths.push_back(real(file));
  return paths;
}

template <typename T, typename U>
void take(const std::optional<T>& configured, U& into) {
  if (configured) into = static_cast<U>(*configured);
}

}  // namespace

policy::Confinement confinement_of(const policy::Confinement& configured, const fs::path& root,
                                   const Surroundings& around) {
  policy::Confinement confinement = configured;
  if (confinement.level == policy::Confine::kNone) return confinement;
  for (fs::path& folder : confinement.writable) folder = real(folder);
  confinement.writable.push_back(real(root));
  confinement.writable.push_back(temporary_folder(around));
  return confinement;
}

workspace::Settings workspace_settings(const Config& config, const fs::path& root,
                                       const Surroundings& around, workspace::Reach usual) {
  const WorkspaceConfig& configured = config.workspace;
  const fs::path state = state_folder(root, around);
  workspace::Settings settings{.root = real(root),
                               .reach = configured.reach.value_or(usual),
                               .environment = configured.environment,
                               .state = state};
  for (const fs::path& folder : configured.roots) settings.roots.push_back(real(folder));
  settings.configuration = configuration_of(config, settings.root, state);
  take(configured.read_cap, settings.read_cap);
  take(configured.read_limit, settings.read_limit);
  settings.read_limit = std::min(settings.read_limit, settings.read_cap);
  take(configured.inline_bytes, settings.inline_bytes);
  take(configured.guard, settings.guard);
  take(configured.durable, settings.durable);
  take(configured.edit_all, settings.edit_all);
  settings.offers_read = is_offered(config, "read");
  settings.bash.shell = shell_of(configured);
  settings.bash.variables = workspace::command_variables(
      without_secrets(config, around), configured.variables, (state / kEditor).string());
  take(configured.output_bytes, settings.bash.output_bytes);
  if (configured.kill_after_s) {
    settings.bash.kill_after_call = std::chrono::seconds(*configured.kill_after_s);
  }
  settings.confinement =
      confinement_of(configured.confinement.value_or(policy::Confinement{}), root, around);
  return settings;
}

Result<void> write_refusing_editor(const fs::path& state) {
  constexpr unsigned kExecutable = 0700;
  if (auto made = os::make_private_folder(state); !made) return made;
  const fs::path file = state / kEditor;
  const std::string text = workspace::refusing_editor();
  const auto there = os::read_file(file, text.size() + 1);
  if (there && *there == text) return {};
  return os::write_atomic(file, text, kExecutable);
}

bool is_offered(const Config& config, std::string_view tool) {
  const auto& tools = config.workspace.tools;
  return !tools || std::ranges::find(*tools, tool) != tools->end();
}

}  // namespace helve::host
