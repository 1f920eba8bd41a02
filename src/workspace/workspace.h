// workspace/workspace.h
//
// The six workspace tools and what they share. Loop thread only; what they do with files is done by
// the Workers.
#pragma once

#include <memory>

#include "os/loop.h"
#include "tool/registry.h"
#include "workspace/detail/work_folder.h"
#include "workspace/environment.h"
#include "workspace/locks.h"
#include "workspace/paths.h"
#include "workspace/settings.h"
#include "workspace/spills.h"
#include "workspace/workers.h"

namespace helve::workspace {

struct Workspace {
  Workspace(os::Loop& on, Settings by);

  os::Loop& loop;
  const Settings settings;
  Paths paths;
  WorkFolder folder;
  Workers workers;
  Locks locks;
  Spills spills;
  std::shared_ptr<Environment> environment;  // null: none
};

// For the record of a call: its path.
std::string path_of(const JsonObject& arguments);

// One tool, one file.
tool::Tool bash_tool(const std::shared_ptr<Workspace>& workspace);
tool::Tool read_tool(const std::shared_ptr<Workspace>& workspace);
tool::Tool write_tool(const std::shared_ptr<Workspace>& workspace);
tool::Tool edit_tool(const std::shared_ptr<Workspace>& workspace);

}  // namespace helve::workspace
