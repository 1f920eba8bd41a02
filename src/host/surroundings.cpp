#include "host/surroundings.h"

#include <pwd.h>
#include <unistd.h>

namespace helve::host {
namespace {

std::filesystem::path home_of_user(const Variables& variables) {
  const auto home = variables.find("HOME");
  if (home != variables.end() && home->second.starts_with('/')) return home->second;
  passwd entry{};
  passwd* found = nullptr;
  std::string buffer(16 * 1024, '\0');
  ::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found);
  return found != nullptr && found->pw_dir != nullptr ? found->pw_dir : "";
}

}  // namespace

Surroundings Surroundings::of_process() {
  Surroundings around;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    around.variables.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  std::error_code ignored;
  around.cwd = std::filesystem::current_path(ignored);
  around.home = home_of_user(around.variables);
  return around;
}

std::string Surroundings::variable(std::string_view name) const {
  const auto found = variables.find(std::string(name));
  return found == variables.end() ? "" : found->second;
}

}  // namespace helve::host
