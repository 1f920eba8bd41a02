// "workspace" of a configuration file, and "confine" of a tool: a project tightens what the user's
// file says, and never loosens it (decisions, section 2).
#include <algorithm>

#include "base/texts.h"
#include "host/detail/expand.h"
#include "host/detail/fields.h"
#include "host/detail/reader.h"

namespace helve::host {
namespace {

namespace fs = std::filesystem;
using policy::Confine;
using policy::Confinement;

constexpr std::string_view kOffered[] = {"bash", "read", "write", "edit"};
constexpr std::uint64_t kMostReadCap = 5'000, kLeastInline = 1'000, kMostInline = 500'000;

std::optional<bool> boolean(const JsonObject& object, const char* name) {
  const Json* value = find(object, name);
  return value != nullptr && value->is_bool() ? std::optional(value->get_bool()) : std::nullopt;
}

std::vector<std::string> texts_of(const Json* list) {
  std::vector<std::string> texts;
  if (list == nullptr || !list->is_array()) return texts;
  for (const Json& item : list->get_array()) {
    if (item.is_string()) texts.emplace_back(as_text(item));
  }
  return texts;
}

// How strong a fence is, for "not weaker than before". `best` may turn out to be anything.
int strength(Confine level) {
  switch (level) {
    case Confine::kNone:
      return 0;
    case Confine::kBest:
      return 1;
    case Confine::kPaths:
      return 2;
    case Confine::kFull:
      return 3;
  }
  return 0;
}

}  // namespace

void Reader::loosens(const std::string& field, std::string reason) {
  report(pointer_to("/workspace", field),
         refuse("config.workspace_loosened", {{"field", field}, {"reason", std::move(reason)}})
             .error());
}

bool Reader::is_below_root(const fs::path& path) const {
  if (root.empty()) return path.is_relative() && *path.begin() != "..";
  const fs::path relative = path.lexically_relative(root.lexically_normal());
  return !relative.empty() && *relative.begin() != "..";
}

// A folder as it is written: from the root, `~` and `${NAME}` expanded; normal, no slash at the
// end.
std::optional<fs::path> Reader::read_path(const Json& path, const std::string& pointer) {
  if (!path.is_string()) return std::nullopt;
  const Result<fs::path> expanded = withheld(expand_path(as_text(path), visible_));
  if (!expanded) return report(pointer, expanded.error()), std::nullopt;
  const fs::path whole = (root / *expanded).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

void Reader::read_workspace(const Json* workspace, bool trusted) {
  if (workspace == nullptr || !workspace->is_object()) return;
  const JsonObject& object = workspace->get_object();
  check_object(object, "/workspace", workspace_fields(),
               [&](const std::string& at, Refusal why) { report(at, std::move(why)); });
  read_offered(object, trusted);
  read_reach(object, trusted);
  read_environment(object, trusted);
  read_confinement(find(object, "confine"), "/workspace/confine", trusted,
                   config.workspace.confinement);
  read_guard(object, trusted);
  read_workspace_limits(object);
  for (std::string& name : texts_of(find(object, "env"))) {
    if (!trusted) {
      loosens("env", text("config.loosens.variable", {{"name", name}}));
    } else {
      config.workspace.variables.push_back(std::move(name));
    }
  }
  if (const auto shell = find_text(*workspace, "shell")) {
    const fs::path path(*shell);
    if (path.is_absolute() && path == path.lexically_normal()) {
      config.workspace.shell = path.string();
    } else {
      report(
          "/workspace/shell",
          refuse("config.workspace_path", {{"field", "shell"}, {"path", path.string()}}).error());
    }
  }
}

void Reader::read_offered(const JsonObject& workspace, bool trusted) {
  const Json* tools = find(workspace, "tools");
  if (tools == nullptr || !tools->is_array()) return;
  const auto before = config.workspace.tools;
  config.workspace.tools.emplace();
  for (const std::string& tool : texts_of(tools)) {
    if (std::ranges::find(kOffered, tool) == std::end(kOffered)) {
      report("/workspace/tools", refuse("config.workspace_tool_unknown", {{"tool", tool}}).error());
    } else if (!trusted && before && std::ranges::find(*before, tool) == before->end()) {
      loosens("tools", text("config.loosens.tools", {{"tool", tool}}));
    } else {
      config.workspace.tools->push_back(tool);
    }
  }
}

void Reader::read_reach(const JsonObject& workspace, bool trusted) {
  const Json* written = find(workspace, "paths");
  const std::string_view reach = written && written->is_string() ? as_text(*written) : "";
  if (reach == "roots" || reach == "open") {
    const auto asked = reach == "roots" ? workspace::Reach::kRoots : workspace::Reach::kOpen;
    if (trusted || asked == workspace::Reach::kRoots) {
      config.workspace.reach = asked;
    } else if (config.workspace.reach != workspace::Reach::kOpen) {
      loosens("paths", text("config.loosens.reach"));
    }
  }
  const Json* roots = find(workspace, "roots");
  if (roots == nullptr || !roots->is_array()) return;
  for (size_t i = 0; i < roots->get_array().size(); ++i) {
    const auto folder = read_path(roots->get_array()[i], pointer_to("/workspace/roots", i));
    if (!folder) continue;
    if (trusted || is_below_root(*folder)) {
      config.workspace.roots.push_back(*folder);
    } else {
      loosens("roots", text("config.loosens.folder", {{"folder", folder->string()}}));
    }
  }
}

void Reader::read_environment(const JsonObject& workspace, bool trusted) {
  const Json* environment = find(workspace, "environment");
  if (environment == nullptr || !environment->is_object()) return;
  constexpr Field kFields[] = {{"prefix", Shape::kText}, {"folder", Shape::kText}};
  check_object(environment->get_object(), "/workspace/environment", kFields,
               [&](const std::string& at, Refusal why) { report(at, std::move(why)); });
  const fs::path prefix(find_text(*environment, "prefix").value_or(""));
  if (!prefix.is_absolute() || prefix != prefix.lexically_normal() || !prefix.has_filename()) {
    return report(
        "/workspace/environment",
        refuse("config.workspace_path", {{"field", "prefix"}, {"path", prefix.string()}}).error());
  }
  const Json* written = find(*environment, "folder");
  const auto folder =
      read_path(written == nullptr ? Json("") : *written, "/workspace/environment/folder");
  if (!folder) return;
  if (!trusted && !is_below_root(*folder)) {
    return loosens("environment", text("config.loosens.folder", {{"folder", folder->string()}}));
  }
  config.workspace.environment = {.prefix = prefix.string(), .folder = *folder};
}

void Reader::read_confinement(const Json* confine, const std::string& pointer, bool trusted,
                              std::optional<Confinement>& into) {
  if (confine == nullptr || !(confine->is_string() || confine->is_object())) return;
  const bool is_object = confine->is_object();
  if (is_object) {
    check_object(confine->get_object(), pointer, confine_fields(),
                 [&](const std::string& at, Refusal why) { report(at, std::move(why)); });
  }
  const Confinement before = into.value_or(Confinement{});
  Confinement asked = before;
  const auto word = is_object ? find_text(*confine, "level") : std::optional(as_text(*confine));
  asked.level = policy::confine_of(word.value_or("best")).value_or(Confine::kBest);
  if (is_object) {
    asked.network = boolean(confine->get_object(), "network").value_or(before.network);
    const Json* writable = find(*confine, "writable");
    if (writable != nullptr && writable->is_array()) {
      for (size_t i = 0; i < writable->get_array().size(); ++i) {
        const auto folder =
            read_path(writable->get_array()[i], pointer_to(pointer + "/writable", i));
        if (!folder) continue;
        if (!trusted && into && !is_below_root(*folder)) {
          loosens("confine", text("config.loosens.folder", {{"folder", folder->string()}}));
        } else {
          asked.writable.push_back(*folder);
        }
      }
    }
  }
  if (!trusted && strength(asked.level) < strength(before.level)) {
    return loosens("confine", text("config.loosens.confine",
                                   {{"level", std::string(policy::name_of(before.level))}}));
  }
  if (!trusted && asked.network && !before.network) {
    return loosens("confine", text("config.loosens.network"));
  }
  into = std::move(asked);
}

void Reader::read_guard(const JsonObject& workspace, bool trusted) {
  const Json* written = find(workspace, "guard");
  if (written == nullptr || !written->is_string()) return;
  const std::string_view word = as_text(*written);
  using workspace::Guard;
  const Guard asked = word == "off"      ? Guard::kOff
                      : word == "strict" ? Guard::kStrict
                                         : Guard::kKnown;
  const Guard before = config.workspace.guard.value_or(Guard::kKnown);
  if (!trusted && asked < before) return loosens("guard", text("config.loosens.guard"));
  config.workspace.guard = asked;
}

void Reader::read_workspace_limits(const JsonObject& workspace) {
  WorkspaceConfig& into = config.workspace;
  const auto number = [&](const char* name, std::uint64_t least, std::uint64_t most,
                          std::optional<std::uint64_t>& value) {
    const Json* written = find(workspace, name);
    if (written == nullptr || !written->is_number()) return;
    const auto asked = written->is_uint64() ? written->get_uint64()
                                            : static_cast<std::uint64_t>(std::max<std::int64_t>(
                                                  0, written->to_number<std::int64_t>()));
    if (asked >= least && asked <= most) {
      value = asked;
      return;
    }
    report(
        pointer_to("/workspace", name),
        refuse("config.out_of_range",
               {{"field", name}, {"least", std::to_string(least)}, {"most", std::to_string(most)}})
            .error());
  };
  number("read_limit", 1, kMostReadCap, into.read_limit);
  number("read_cap", 1, kMostReadCap, into.read_cap);
  number("inline_bytes", kLeastInline, kMostInline, into.inline_bytes);
  number("kill_after_s", 1, 86'400, into.kill_after_s);
  number("stop_grace_ms", 0, 30'000, into.stop_grace_ms);
  number("output_bytes", 1024, 1ULL << 40, into.output_bytes);
  if (const auto durable = boolean(workspace, "durable")) into.durable = durable;
  if (const auto all = boolean(workspace, "edit_all")) into.edit_all = all;
}

}  // namespace helve::host
