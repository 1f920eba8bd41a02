// host/service.h
//
// What `helve mcp` and `helve serve` have in common: the registry filled from the configuration and
// kept up to date with it, the sessions, the MCP server over both. Loop thread only.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "commands/template_tool.h"
#include "host/call_log.h"
#include "host/config.h"
#include "host/run_store.h"
#include "mcp/server.h"
#include "os/loop.h"
#include "tool/job_store.h"
#include "tool/registry.h"
#include "tool/sessions.h"
#include "workspace/workspace.h"

namespace helve::host {

struct ServiceRequest {
  Config config;               // without errors
  std::filesystem::path root;  // absolute
  Surroundings around;
  policy::Profile usual = policy::Profile::kOpen;  // where the configuration names none
  workspace::Reach reach = workspace::Reach::kOpen;
};

class Service {
 public:
  Service(os::Loop& loop, const ServiceRequest& request);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();  // once nothing of any command runs

  // Before anything is served: also ends what the jobs of a daemon that died have left. The
  // settings of the workspace hold until the end. Refused as tool::Registry::add, and
  // file.unwritable.
  Result<void> start(const Config& config);
  // Another configuration takes the place of the one before, as a whole or not at all.
  Result<void> apply(const Config& config);
  // True if its workspace is as it was at the start.
  bool has_workspace_of(const Config& config) const { return config.workspace == at_start_; }

  tool::Registry& registry() { return registry_; }
  tool::Sessions& sessions() { return sessions_; }
  mcp::Server& server() { return server_; }

 private:
  boost::asio::awaitable<void> end_leftovers();
  commands::TemplateTool definition_of(const Config& config, const ToolConfig& tool) const;
  policy::Confinement fence_of(const ToolConfig& tool, const std::string& digest) const;

  os::Loop& loop_;
  std::filesystem::path root_;
  Surroundings around_;
  policy::Profile usual_;
  WorkspaceConfig at_start_;
  bool started_ = false;
  std::set<std::string> tools_at_start_;  // their digests
  RunStore store_;
  CallLog calls_;
  std::shared_ptr<tool::JobStore> jobs_;
  std::shared_ptr<workspace::Workspace> workspace_;
  tool::Registry registry_;
  tool::Sessions sessions_;
  mcp::Server server_;
};

}  // namespace helve::host
