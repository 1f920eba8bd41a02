// "workspace" and "confine" as read from files, and the settings that come of them (decisions,
// section 2: a project tightens, and never loosens).
#include <gtest/gtest.h>

#include "host/config.h"
#include "host/own_tools.h"
#include "host/testing/describe.h"
#include "host/testing/folders.h"
#include "host/workspace_settings.h"
#include "schema/schema.h"

namespace helve::host {
namespace {

using policy::Confine;
using testing::describe;
using testing::Folders;
using workspace::Guard;
using workspace::Reach;

struct Case {
  const char *name, *user, *project, *want;
};

constexpr Case kCases[] = {
    {"all of it by the user",
     R"({"workspace": {"tools": ["read"], "paths": "roots", "roots": ["/srv"], "shell": "/bin/sh",
         "environment": {"prefix": "/env", "folder": "/srv/env"}, "env": ["CARGO_*"],
         "confine": {"level": "paths", "network": false, "writable": ["/var/cache"]},
         "guard": "off", "durable": true, "edit_all": true, "read_limit": 10, "read_cap": 20,
         "inline_bytes": 1000, "kill_after_s": 60, "output_bytes": 4096, "stop_grace_ms": 0}})",
     "{}", ""},
    {"WS-52 the longest grace", "{}", R"({"workspace": {"stop_grace_ms": 30000}})", ""},
    {"WS-52 a grace that is too long", "{}", R"({"workspace": {"stop_grace_ms": 30001}})",
     "1:16 config.out_of_range /workspace/stop_grace_ms\n"},
    {"WS-52 a grace below zero", "{}", R"({"workspace": {"stop_grace_ms": -1}})",
     "1:16 config.wrong_type /workspace/stop_grace_ms\n"},
    {"an unknown field", "{}", R"({"workspace": {"path": "open"}})",
     "1:16 config.unknown_field /workspace/path\n"},
    {"an unknown word", "{}", R"({"workspace": {"paths": "all"}})",
     "1:16 config.wrong_type /workspace/paths\n"},
    {"a tool that is none of it", "{}", R"({"workspace": {"tools": ["bash", "grep"]}})",
     "1:16 config.workspace_tool_unknown /workspace/tools\n"},
    {"a tool that the user took away", R"({"workspace": {"tools": ["read"]}})",
     R"({"workspace": {"tools": ["read", "bash"]}})",
     "1:16 config.workspace_loosened /workspace/tools\n"},
    {"fewer tools", R"({"workspace": {"tools": ["read", "edit"]}})",
     R"({"workspace": {"tools": ["read"]}})", ""},
    {"a project opens what the user closed", R"({"workspace": {"paths": "roots"}})",
     R"({"workspace": {"paths": "open"}})", "1:16 config.workspace_loosened /workspace/paths\n"},
    {"a project opens what a server may close", "{}", R"({"workspace": {"paths": "open"}})",
     "1:16 config.workspace_loosened /workspace/paths\n"},
    {"a project closes", "{}", R"({"workspace": {"paths": "roots", "roots": ["sub"]}})", ""},
    {"a project adds a root outside", "{}", R"({"workspace": {"roots": ["../other"]}})",
     "1:16 config.workspace_loosened /workspace/roots\n"},
    {"an environment outside, by a project", "{}",
     R"({"workspace": {"environment": {"prefix": "/env", "folder": "/etc"}}})",
     "1:16 config.workspace_loosened /workspace/environment\n"},
    {"an environment in the project", "{}",
     R"({"workspace": {"environment": {"prefix": "/env", "folder": "env"}}})", ""},
    {"a prefix that is everything", "{}",
     R"({"workspace": {"environment": {"prefix": "/", "folder": "env"}}})",
     "1:16 config.workspace_path /workspace/environment\n"},
    {"a prefix with dots", "{}",
     R"({"workspace": {"environment": {"prefix": "/a/../env", "folder": "env"}}})",
     "1:16 config.workspace_path /workspace/environment\n"},
    {"a weaker fence", R"({"workspace": {"confine": "full"}})",
     R"({"workspace": {"confine": "paths"}})",
     "1:16 config.workspace_loosened /workspace/confine\n"},
    {"a stronger fence", R"({"workspace": {"confine": "paths"}})",
     R"({"workspace": {"confine": "full"}})", ""},
    {"the network back", R"({"workspace": {"confine": {"level": "paths", "network": false}}})",
     R"({"workspace": {"confine": {"level": "full", "network": true}}})",
     "1:16 config.workspace_loosened /workspace/confine\n"},
    {"a folder to write to outside", R"({"workspace": {"confine": "paths"}})",
     R"({"workspace": {"confine": {"level": "paths", "writable": ["/etc"]}}})",
     "1:16 config.workspace_loosened /workspace/confine\n"},
    {"a weaker guard", "{}", R"({"workspace": {"guard": "off"}})",
     "1:16 config.workspace_loosened /workspace/guard\n"},
    {"a variable that a project hands on", "{}", R"({"workspace": {"env": ["DEPLOY_KEY"]}})",
     "1:16 config.workspace_loosened /workspace/env\n"},
    {"a variable that a project hands on", "{}", R"({"workspace": {"env": ["DEPLOY_KEY"]}})",
     "1:16 config.workspace_loosened /workspace/env\n"},
    {"a shell without its folder", "{}", R"({"workspace": {"shell": "bash"}})",
     "1:16 config.workspace_path /workspace/shell\n"},
    {"too many lines", "{}", R"({"workspace": {"read_cap": 5001}})",
     "1:16 config.out_of_range /workspace/read_cap\n"},
    {"an unknown fence of a tool", "{}",
     R"({"tools": {"a": {"template": "x", "confine": "jail"}}})",
     "1:35 config.wrong_type /tools/a/confine\n"},
};

Config load_both(const Folders& folders, const char* user, const char* project) {
  folders.write("home/.config/helve/helve.json", user);
  folders.write("home/project/helve.json", project);
  return load({}, folders.around);
}

TEST(WorkspaceConfig, AProjectTightensAndNeverLoosens) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Folders folders;
    EXPECT_EQ(describe(load_both(folders, c.user, c.project)), c.want);
  }
}

TEST(WorkspaceConfig, TheSchemaTakesWhatTheReaderTakes) {
  const auto schema = schema::Schema::compile(parse_json(config_schema()).value()).value();
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    if (*c.want != '\0') continue;
    EXPECT_TRUE(schema.accepts(parse_json(c.user).value()));
    EXPECT_TRUE(schema.accepts(parse_json(c.project).value()));
  }
}

TEST(WorkspaceConfig, BecomesTheSettings) {
  const Folders folders;
  const Config config = load_both(folders, kCases[0].user, "{}");
  const auto settings =
      workspace_settings(config, folders.around.cwd, folders.around, Reach::kOpen);
  EXPECT_EQ(settings.reach, Reach::kRoots);
  EXPECT_EQ(settings.guard, Guard::kOff);
  EXPECT_EQ(settings.read_limit, 10U);
  EXPECT_EQ(settings.read_cap, 20U);
  EXPECT_EQ(settings.inline_bytes, 1000U);
  EXPECT_EQ(settings.bash.shell, "/bin/sh");
  EXPECT_EQ(settings.bash.output_bytes, 4096U);
  EXPECT_TRUE(settings.durable && settings.edit_all);
  EXPECT_TRUE(settings.offers_read);
  EXPECT_EQ(config.workspace.stop_grace_ms, 0U);
  EXPECT_EQ(settings.environment->prefix, "/env");
  EXPECT_EQ(settings.confinement.level, Confine::kPaths);
  EXPECT_FALSE(settings.confinement.network);
  EXPECT_TRUE(is_offered(config, "read") && !is_offered(config, "bash"));
}

TEST(WorkspaceConfig, WithoutAWordTheFaceDecides) {
  const Folders folders;
  const Config config = load_both(folders, "{}", "{}");
  for (const Reach usual : {Reach::kOpen, Reach::kRoots}) {
    const auto settings = workspace_settings(config, folders.around.cwd, folders.around, usual);
    EXPECT_EQ(settings.reach, usual);
    EXPECT_EQ(settings.confinement, policy::Confinement{});
    EXPECT_EQ(settings.read_limit, 400U);
    EXPECT_EQ(settings.read_cap, 500U);
  }
}

TEST(WorkspaceConfig, SecretsOfTheConfigurationDoNotPass) {
  Folders folders;
  folders.around.variables["DEPLOY_KEY"] = "k";
  folders.around.variables["DEPLOY_HOST"] = "h";
  const Config config = load_both(
      folders, R"({"secrets": ["DEPLOY_KEY"], "workspace": {"env": ["DEPLOY_*"]}})", "{}");
  const auto variables =
      workspace_settings(config, folders.around.cwd, folders.around, Reach::kOpen).bash.variables;
  EXPECT_FALSE(variables.contains("DEPLOY_KEY"));
  EXPECT_TRUE(variables.contains("DEPLOY_HOST"));
}

TEST(OwnTools, AreThoseWhoseNamesAreTaken) {
  const Folders folders;
  const Config config = load_both(folders, "{}", "{}");
  os::Loop loop;
  const auto workspace = std::make_shared<workspace::Workspace>(
      loop, workspace_settings(config, folders.around.cwd, folders.around, Reach::kOpen));
  tool::Registry registry;
  ASSERT_TRUE(add_own_tools(registry, config, workspace));
  size_t bytes = 0, six = 0, count = 0;
  for (const auto& tool : registry.tools()) {
    SCOPED_TRACE(tool->name);
    EXPECT_TRUE(is_own_tool(tool->name));
    EXPECT_FALSE(tool->output);
    if (tool->deferred) continue;
    const size_t size = write_json(tool->input).size() + tool->description.size() + 200;
    bytes += size;
    if (count++ < 6) six += size;
  }
  EXPECT_LE(six, 6U * 1024);    // WS-2
  EXPECT_LE(bytes, 8U * 1024);  // decisions, section 8
}

}  // namespace
}  // namespace helve::host
