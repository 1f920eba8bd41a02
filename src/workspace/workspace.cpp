#include "workspace/workspace.h"

#include "os/files.h"

#include "os/files.h"

namespace helve::workspace {
namespace {

std::shared_ptr<Environment> environment_of(const Settings& settings) {
  if (!settings.environment) return nullptr;
  return std::make_shared<Environment>(*settings.environment, settings.state / "environment");
}

// Before the threads are fenced in: what is not there then stays outside of their fence. What
// cannot be made is told by whoever needs it.
Settings with_folders(Settings settings) {
  for (const char* name : {"locks", "environment"}) {
    (void)os::make_private_folder(settings.state / name);
  }
  return settings;
}

}  // namespace

Workspace::Workspace(os::Loop& on, Settings by)
    : loop(on),
      settings(with_folders(std::move(by))),
      paths(settings),
      workers(loop, settings),
      locks(loop, settings.state / "locks"),
      spills(settings.root),
      environment(environment_of(settings)) {}

std::string path_of(const JsonObject& arguments) {
  const Json* path = find(arguments, "path");
  return path != nullptr && path->is_string() ? std::string(as_text(*path)) : "";
}

}  // namespace helve::workspace
