#include "workspace/workspace.h"

namespace helve::workspace {
namespace {

std::shared_ptr<Environment> environment_of(const Settings& settings) {
  if (!settings.environment) return nullptr;
  return std::make_shared<Environment>(*settings.environment, settings.state / "environment");
}

}  // namespace

Workspace::Workspace(os::Loop& on, Settings by)
    : loop(on),
      settings(std::move(by)),
      paths(settings),
      folder(settings.root),
      workers(loop, settings),
      locks(loop, settings.state / "locks"),
      spills(settings.root),
      environment(environment_of(settings)) {}

std::string path_of(const JsonObject& arguments) {
  const Json* path = find(arguments, "path");
  return path != nullptr && path->is_string() ? std::string(as_text(*path)) : "";
}

}  // namespace helve::workspace
