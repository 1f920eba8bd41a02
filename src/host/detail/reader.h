// host/detail/reader.h
//
// Reads configuration files into a Config, one after the other, collecting what is wrong. A file
// that is broken costs only its own tools. One thread.
#pragma once

#include <string>

#include "base/jsonc.h"
#include "host/config.h"

namespace helve::host {

class Reader {
 public:
  explicit Reader(const Surroundings& around) : around_(around), visible_(around) {}

  // From here on `${NAME}` does not reach the secrets read so far, nor HELVE_*: what the user keeps
  // from every command, a project's file must not hand on.
  void withhold_secrets();

  // `trusted`: may raise limits (the user's file, or one named with --config). What the file turned
  // out to be; kEither if it could not be read.
  Kind read_file(const std::filesystem::path& file, Kind kind, bool trusted);
  Kind read_text(std::string_view text, const std::filesystem::path& file, Kind kind,
                 std::string_view name, bool trusted);
  // What can be judged only when all files have been read: names of tools in the policy.
  void finish();
  // Every *.json in `folder`, sorted by name; no folder is no recipes.
  void read_recipes(const std::filesystem::path& folder);

  Config config;
  std::filesystem::path root;  // what a relative cwd is read from; empty: not known

 private:
  void read_project(const JsonObject& object, bool trusted);
  void read_limits(const JsonObject& limits, bool trusted);
  void read_bound(const JsonObject& limits, const char* name, size_t& into, bool trusted);
  void read_call_limits(const JsonObject& limits, bool trusted);
  bool is_within(const JsonObject& limits, const char* name, std::uint64_t least,
                 std::uint64_t most);
  void read_jobs(const JsonObject& object);
  void read_policy(const Json* policy, bool trusted);
  void read_labels(const Json* labels, policy::Rules& rules);
  void read_tool_names(const Json* tools, policy::Rules& rules);
  void warn_of_idle_words(const policy::Rules& rules);
  void read_serve(const Json* serve, bool trusted);
  void read_listen(const Json& listen, bool trusted);
  void read_names(const JsonObject& serve, const char* field, bool trusted,
                  std::vector<std::string>& into);
  void read_workspace(const Json* workspace, bool trusted);
  void read_offered(const JsonObject& workspace, bool trusted);
  void read_reach(const JsonObject& workspace, bool trusted);
  void read_environment(const JsonObject& workspace, bool trusted);
  void read_workspace_limits(const JsonObject& workspace);
  void read_guard(const JsonObject& workspace, bool trusted);
  void loosens(const std::string& field, std::string reason);
  // "confine" at `pointer`, merged with what holds already; a file that is not trusted may only
  // tighten that. `of_workspace`: what is outside the root is refused by the workspace's words.
  void read_confinement(const Json* confine, const std::string& pointer, bool trusted,
                        std::optional<policy::Confinement>& into);
  std::optional<std::filesystem::path> read_path(const Json& path, const std::string& pointer);
  bool is_below_root(const std::filesystem::path& path) const;
  void read_secrets(const Json* secrets);
  void read_tool(std::string_view name, const Json& node, const std::string& pointer);
  void read_host_fields(ToolConfig& tool);
  // The first refusal comes back: what it belongs to cannot run.
  std::optional<Refusal> read_variables(const Json* env, const std::string& pointer,
                                        std::map<std::string, std::optional<std::string>>& into);
  void read_folder(ToolConfig& tool, const Json* cwd);
  void read_annotations(ToolConfig& tool);
  void check_annotations(const ToolConfig& tool);
  void check_variables(const ToolConfig& tool);
  void check_argument_names(const ToolConfig& tool);
  void check_portable(const ToolConfig& tool);
  bool claim_name(std::string_view name, const std::string& pointer);
  void compile(ToolConfig& tool);
  void report(const std::string& pointer, Refusal refusal,
              Finding::Severity severity = Finding::Severity::kError);
  void report_syntax(std::string_view text, Refusal refusal);
  bool refused_at(std::string_view pointer) const;
  // A variable that is set but withheld is refused as that, not as unset.
  template <typename T>
  Result<T> withheld(Result<T> expanded) const {
    if (expanded || expanded.error().rule != "config.variable_unset") return expanded;
    const std::string& name = expanded.error().args.front().second;
    if (!around_.variables.contains(name)) return expanded;
    return refuse("config.variable_withheld", {{"name", name}});
  }

  // A tool that a policy names, and the remark that there is none.
  struct Mention {
    std::string tool;
    Problem problem;
    bool trusted = false;
  };

  const Surroundings& around_;
  Surroundings visible_;  // to ${NAME}
  // Of the file at hand.
  std::filesystem::path file_;
  const JsonDocument* document_ = nullptr;
  // Of the project's file, for its tools and for the recipes beside it.
  std::map<std::string, std::optional<std::string>> variables_;
  std::optional<Refusal> blocked_;
  // Of all files: what the policies name, and the names of tools, broken ones too.
  std::vector<Mention> mentions_;
  std::vector<std::string> tools_seen_;
};

}  // namespace helve::host
