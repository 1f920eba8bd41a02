// host/service.h
//
// What `helve mcp` and `helve serve` have in common: the registry filled from the configuration and
// kept up to date with it, the sessions, the MCP server over both. Loop thread only.
#pragma once

#include <filesystem>
#include <functional>

#include "commands/template_tool.h"
#include "host/config.h"
#include "host/run_store.h"
#include "mcp/server.h"
#include "os/loop.h"
#include "tool/registry.h"
#include "tool/sessions.h"

namespace helve::host {

struct ServiceRequest {
  Config config;               // without errors
  std::filesystem::path root;  // absolute
  Surroundings around;
  policy::Profile usual = policy::Profile::kOpen;  // where the configuration names none
};

class Service {
 public:
  Service(os::Loop& loop, const ServiceRequest& request);

  // Before anything is served. Refused as tool::Registry::add.
  Result<void> start(const Config& config);
  // Another configuration takes the place of the one before, as a whole or not at all.
  Result<void> apply(const Config& config);

  tool::Registry& registry() { return registry_; }
  tool::Sessions& sessions() { return sessions_; }
  mcp::Server& server() { return server_; }

 private:
  commands::TemplateTool definition_of(const Config& config, const ToolConfig& tool) const;

  os::Loop& loop_;
  std::filesystem::path root_;
  Surroundings around_;
  policy::Profile usual_;
  RunStore store_;
  tool::Registry registry_;
  tool::Sessions sessions_;
  mcp::Server server_;
};

}  // namespace helve::host
