// host/config.h
//
// The configuration: `helve.json` of the user and of the project, and the recipes beside the
// project's. Loading finds every problem in every file and still gives what is usable; `check`
// prints the problems, `mcp` refuses to start on errors. What a tool does is in template/; where
// the files lie is in places.h. Reads files, changes nothing. Plain values; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/refusal.h"
#include "host/places.h"
#include "policy/policy.h"
#include "template/template.h"
#include "workspace/settings.h"

namespace helve::host {

// The most steps of a parallel node that run at a time.
inline constexpr int kMostJobs = 64;
// Where nobody says how many: enough for steps that wait, and few enough that many short ones are
// not slowed by each other (bench/run.mjs, fanout).
inline constexpr int kUsualJobs = 16;

// A command template with what the host adds to it.
struct ToolConfig {
  std::string name;
  std::string description;          // generated from the template where the file gives none
  JsonObject arg_descriptions;      // argument name to text
  std::vector<std::string> secret;  // arguments whose values are masked
  // Added to a step's variables; nullopt takes the variable away.
  std::map<std::string, std::optional<std::string>> variables;
  std::filesystem::path cwd;  // absolute, or relative to the root; empty: the face's own default
  // What hosts are told of it; unset: computed from its risk labels.
  std::string title;
  std::optional<bool> read_only, destructive, idempotent, open_world;
  bool deferred = false;  // found with tool_search instead of listed
  bool detach = false;    // its job outlives the session
  std::optional<policy::Confinement> confinement;
  bool prompt = false;  // offered as an MCP prompt, whose text is its output, and not as a tool
  Json node;            // the template's source
  tmpl::Template compiled;
  std::filesystem::path file;  // where it is written
  std::string pointer;         // and where in there
  Position at;
  std::string called_as;  // on the command line; empty: its name
  // Why it is listed and yet cannot run: a variable that its env or cwd needs is not set.
  std::optional<Refusal> blocked;
};

// A remark with its place in a file. Line 0: about the file as a whole.
struct Problem {
  std::filesystem::path file;
  Finding finding;
  Position at{0, 0};
  std::string source;  // the line of the file, where that is all one can be shown

  // A risk label of a template's node (CT-97): advice, shown as a note.
  bool is_risk() const { return finding.what.rule.starts_with("template.risk_"); }
  bool is_error() const { return finding.severity == Finding::Severity::kError; }
};

// How much of a step's output may go to disk, in bytes.
struct StreamLimits {
  size_t pipe_bytes = 16ULL * 1024 * 1024 * 1024;  // of what the next step reads
  size_t spill_bytes = 64ULL * 1024 * 1024;        // of what only the report keeps
};

// How long a call waits before it becomes a job, and how many jobs a session may have.
struct CallLimits {
  std::uint64_t wait_ms = 20'000;   // kLeastWaitMs to kMostWaitMs
  std::uint64_t session_jobs = 64;  // 1 to kMostSessionJobs
};
inline constexpr std::uint64_t kLeastWaitMs = 100, kMostWaitMs = 45'000, kMostSessionJobs = 1024;

// `helve serve`: where it listens and who may call by which name.
struct Serve {
  std::string listen = "127.0.0.1:7717";  // well-formed (host/address.h)
  std::vector<std::string> hosts;         // that a Host header may name, beside loopback
  std::vector<std::string> origins;       // that an Origin header may name, beside loopback
  bool operator==(const Serve&) const = default;
};

// The agent's desk: what is offered, and how far it reaches. Unset: as workspace::Settings has it.
struct WorkspaceConfig {
  std::optional<std::vector<std::string>> tools;  // of bash, read, write, edit; unset: all
  std::optional<workspace::Reach> reach;          // unset: the face's usual one
  std::vector<std::filesystem::path> roots;
  std::optional<workspace::EnvironmentFolder> environment;
  std::string shell;
  std::vector<std::string> variables;  // names that pass to commands, beside the usual ones
  std::optional<policy::Confinement> confinement;
  std::optional<workspace::Guard> guard;
  std::optional<bool> durable, edit_all;
  std::optional<std::uint64_t> read_limit, read_cap, inline_bytes, kill_after_s, output_bytes,
      stop_grace_ms;
  bool operator==(const WorkspaceConfig&) const = default;
};

struct Config {
  std::filesystem::path project;             // the project's file; empty if there is none
  std::vector<std::filesystem::path> files;  // all that were read
  std::vector<ToolConfig> tools;             // usable ones: project, recipes, user
  std::vector<std::string> secrets;          // variables that no command inherits
  std::optional<std::int64_t> jobs;          // steps of a parallel node at a time
  tmpl::Limits template_limits;
  policy::Limits process_limits;
  StreamLimits streams;
  CallLimits calls;
  policy::Policy policy;  // one layer a file that has one; `usual` is the face's to set
  Serve serve;
  WorkspaceConfig workspace;
  std::vector<Problem> problems;

  const ToolConfig* find(std::string_view tool) const;
  std::vector<std::string_view> tool_names() const;
  bool has_errors() const;
};

// The configuration that holds at `locations`. With --config only that file and its recipes.
Config load(const Locations& locations, const Surroundings& around);

// What lies at `path`: a helve.json, one recipe, a project folder or a folder of recipes.
Config load_path(const std::filesystem::path& path, const Surroundings& around);

// One recipe file by itself; its tool has the name of the file. If it is a configuration, `project`
// names it.
Config load_recipe(const std::filesystem::path& file, const Surroundings& around,
                   const tmpl::Limits& limits = {});

// kEither: a project if it has `tools` and no `template`.
enum class Kind { kProject, kRecipe, kEither };
// A file's text from memory; `name` is the tool's for a recipe.
Config load_text(std::string_view text, Kind kind, std::string_view name,
                 const std::filesystem::path& file, const Surroundings& around,
                 const tmpl::Limits& limits = {});

// The whole set of a step's variables: the host's own less HELVE_* and the configured secrets, then
// what the tool adds and takes away.
Variables step_variables(const Config& config, const ToolConfig& tool, const Surroundings& around);

// The JSON Schema of helve.json and of a recipe.
std::string_view config_schema();

}  // namespace helve::host
