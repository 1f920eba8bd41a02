// workspace/environment.h
//
// The read-only environment (WS-17 to WS-19): which revision of it is current, and a staged copy of
// that revision for commands, content-addressed below the state folder, made once and kept while a
// job uses it. Blocking; any thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/refusal.h"
#include "workspace/settings.h"

namespace helve::workspace {

class Environment {
 public:
  Environment(EnvironmentFolder folder, std::filesystem::path stages);

  // Keeps a staged revision from being removed while it lives.
  struct Pinned {
    std::string revision;          // 12 hex digits over names, modes and contents
    std::filesystem::path folder;  // read-only copy
  };
  using Pin = std::shared_ptr<const Pinned>;

  // The current revision, staged. Refused: env.unreadable {folder, reason}, disk.full.
  Result<Pin> stage();

  // The current revision without staging; cached while nothing in the folder seems to have changed.
  Result<std::string> revision();

  const EnvironmentFolder& folder() const { return folder_; }

 private:
  struct State;
  EnvironmentFolder folder_;
  std::shared_ptr<State> state_;
};

}  // namespace helve::workspace
