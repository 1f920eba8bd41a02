// One tool of a configuration file: its host fields, and its template compiled.
#include <algorithm>

#include "base/text.h"
#include "base/texts.h"
#include "host/detail/expand.h"
#include "host/detail/fields.h"
#include "host/detail/reader.h"
#include "schema/schema.h"

namespace helve::host {
namespace {

std::vector<std::string> host_field_names() {
  std::vector<std::string> names;
  for (const Field& field : host_fields()) names.emplace_back(field.name);
  return names;
}

// Labels that a tool which changes nothing cannot have.
constexpr std::string_view kChanging[] = {"risk.destructive_fs", "risk.broad_fs_write",
                                          "risk.external_side_effect"};

std::optional<bool> boolean(const Json& node, std::string_view name) {
  const Json* value = find(node, name);
  if (value == nullptr || !value->is_bool()) return std::nullopt;
  return value->get_bool();
}

std::string pointer_in(const Refusal& refusal) {
  const auto pointer = find_text(refusal.details, "pointer");
  return pointer ? std::string(*pointer) : "";
}

std::vector<std::string_view> argument_names(const ToolConfig& tool) {
  std::vector<std::string_view> names;
  for (const tmpl::Argument& argument : tool.compiled.arguments()) names.push_back(argument.name);
  return names;
}

}  // namespace

void Reader::read_tool(std::string_view name, const Json& node, const std::string& pointer) {
  const size_t before = config.problems.size();
  claim_name(name, pointer);
  tools_seen_.emplace_back(name);
  check_node(node, pointer, true,
             [&](const std::string& at, Refusal why) { report(at, std::move(why)); });
  ToolConfig tool{.name = std::string(name),
                  .variables = variables_,
                  .node = node,
                  .file = file_,
                  .pointer = pointer,
                  .at = document_->locate(pointer),
                  .blocked = blocked_};
  read_host_fields(tool);
  compile(tool);
  // A tool that only lacks a variable is there, and says so when it is called.
  const auto breaks = [](const Problem& problem) {
    return problem.is_error() && problem.finding.what.rule != "config.variable_unset";
  };
  const bool broken = std::any_of(config.problems.begin() + static_cast<std::ptrdiff_t>(before),
                                  config.problems.end(), breaks);
  if (!broken) config.tools.push_back(std::move(tool));
}

void Reader::read_host_fields(ToolConfig& tool) {
  if (const auto description = find_text(tool.node, "description")) tool.description = *description;
  const Json* descriptions = find(tool.node, "arg_descriptions");
  if (descriptions != nullptr && descriptions->is_object()) {
    tool.arg_descriptions = descriptions->get_object();
  }
  const Json* secret = find(tool.node, "secret");
  if (secret != nullptr && secret->is_array()) {
    for (const Json& name : secret->get_array()) {
      if (name.is_string()) tool.secret.emplace_back(as_text(name));
    }
  }
  const auto unset =
      read_variables(find(tool.node, "env"), pointer_to(tool.pointer, "env"), tool.variables);
  if (!tool.blocked) tool.blocked = unset;
  read_folder(tool, find(tool.node, "cwd"));
  read_confinement(find(tool.node, "confine"), pointer_to(tool.pointer, "confine"), true,
                   tool.confinement);
  read_annotations(tool);
}

void Reader::read_annotations(ToolConfig& tool) {
  if (const auto title = find_text(tool.node, "title")) tool.title = *title;
  tool.read_only = boolean(tool.node, "read_only");
  tool.destructive = boolean(tool.node, "destructive");
  tool.idempotent = boolean(tool.node, "idempotent");
  tool.open_world = boolean(tool.node, "open_world");
  tool.deferred = boolean(tool.node, "deferred").value_or(false);
  tool.detach = boolean(tool.node, "detach").value_or(false);
  tool.prompt = boolean(tool.node, "prompt").value_or(false);
}

// Hosts run a read-only tool without asking anybody, so that the claim must not be a slip.
void Reader::check_annotations(const ToolConfig& tool) {
  if (!tool.read_only.value_or(false)) return;
  std::string reason;
  if (tool.destructive.value_or(false)) reason = text("config.doubt.destructive");
  for (const std::string& risk : tool.compiled.risks()) {
    const bool changes = std::ranges::find(kChanging, risk) != std::end(kChanging);
    if (changes && reason.empty()) reason = text("config.doubt.label", {{"label", risk}});
  }
  if (reason.empty()) return;
  report(pointer_to(tool.pointer, "read_only"),
         refuse("config.read_only_doubtful", {{"tool", tool.name}, {"reason", reason}}).error(),
         Finding::Severity::kWarning);
}

void Reader::read_folder(ToolConfig& tool, const Json* cwd) {
  if (cwd == nullptr || !cwd->is_string()) return;
  const std::string at = pointer_to(tool.pointer, "cwd");
  if (as_text(*cwd).empty()) return report(at, refuse("config.cwd_empty").error());
  if (has_placeholder(as_text(*cwd))) {
    return report(at,
                  refuse("config.cwd_placeholder", {{"cwd", std::string(as_text(*cwd))}}).error());
  }
  Result<std::filesystem::path> folder = withheld(expand_path(as_text(*cwd), visible_));
  if (!folder) {
    if (!tool.blocked) tool.blocked = folder.error();
    return report(at, folder.error());
  }
  tool.cwd = *std::move(folder);
  if (root.empty()) return;
  const std::filesystem::path whole = (root / tool.cwd).lexically_normal();
  std::error_code ignored;
  if (std::filesystem::is_directory(whole, ignored)) return;
  report(at, refuse("config.cwd_missing", {{"folder", whole.string()}}).error(),
         Finding::Severity::kWarning);
}

// Nothing is filled in there, so what looks like an argument would reach the command as it stands.
void Reader::check_variables(const ToolConfig& tool) {
  const Json* env = find(tool.node, "env");
  if (env == nullptr || !env->is_object()) return;
  const std::vector<std::string_view> names = argument_names(tool);
  for (const auto& [variable, value] : env->get_object()) {
    if (!value.is_string()) continue;
    const std::string argument = placeholder_of(as_text(value), names);
    if (argument.empty()) continue;
    report(pointer_to(pointer_to(tool.pointer, "env"), variable),
           refuse("config.env_placeholder",
                  {{"argument", argument}, {"variable", std::string(variable)}})
               .error(),
           Finding::Severity::kWarning);
  }
}

void Reader::compile(ToolConfig& tool) {
  const auto empty_args = find_text(tool.node, "empty_args");
  auto compiled =
      tmpl::Template::compile(tool.node, {.limits = config.template_limits,
                                          .drop_empty_words = empty_args && *empty_args == "drop",
                                          .host_fields = host_field_names(),
                                          .secret = tool.secret});
  if (!compiled) {
    const std::string at = tool.pointer + pointer_in(compiled.error());
    if (!refused_at(at)) report(at, compiled.error());
    return;
  }
  tool.compiled = *std::move(compiled);
  for (const Finding& finding : tool.compiled.findings()) {
    const std::string at = tool.pointer + finding.pointer;
    if (!refused_at(at)) report(at, finding.what, finding.severity);
  }
  check_argument_names(tool);
  check_portable(tool);
  check_variables(tool);
  check_annotations(tool);
  if (tool.description.empty())
    tool.description = text("config.no_description", {{"name", tool.name}});
}

// R7: one schema that a host does not take fails every tool of the session.
void Reader::check_portable(const ToolConfig& tool) {
  const Json schema = tool.compiled.input_schema(tool.arg_descriptions);
  for (Finding& finding : schema::portability(schema)) {
    if (finding.severity == Finding::Severity::kError) report(tool.pointer, finding.what);
  }
}

void Reader::check_argument_names(const ToolConfig& tool) {
  const std::vector<std::string_view> known = argument_names(tool);
  const auto check = [&](std::string_view name, const std::string& at) {
    if (std::ranges::find(known, name) != known.end()) return;
    report(at, refuse("config.no_such_argument", {{"argument", std::string(name)},
                                                  {"tool", tool.name},
                                                  {"hint", hint(name, known)}})
                   .error());
  };
  const std::string secrets = pointer_to(tool.pointer, "secret");
  for (size_t i = 0; i < tool.secret.size(); ++i) check(tool.secret[i], pointer_to(secrets, i));
  const std::string descriptions = pointer_to(tool.pointer, "arg_descriptions");
  for (const auto& member : tool.arg_descriptions) {
    check(member.key(), pointer_to(descriptions, member.key()));
  }
}

}  // namespace helve::host
