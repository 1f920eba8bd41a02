#include "host/detail/reader.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "base/texts.h"
#include "host/detail/expand.h"
#include "host/detail/fields.h"
#include "host/own_tools.h"
#include "os/files.h"
#include "tool/registry.h"

namespace helve::host {
namespace {

constexpr std::uint64_t kMostBytes = 4 * 1024 * 1024;

// json.* refusals carry their place in their arguments.
Position place_of(const Refusal& refusal) {
  Position at{0, 0};
  for (const auto& [name, value] : refusal.args) {
    size_t* const into = name == "line" ? &at.line : name == "column" ? &at.column : nullptr;
    if (into != nullptr) std::from_chars(value.data(), value.data() + value.size(), *into);
  }
  return at;
}

bool is_recipe(const Json& value, Kind kind) {
  if (kind != Kind::kEither) return kind == Kind::kRecipe;
  if (!value.is_object() || find(value, "template") != nullptr) return true;
  constexpr std::array<const char*, 6> kOfProjects = {"tools",  "policy",  "serve",
                                                      "limits", "secrets", "workspace"};
  return std::ranges::none_of(kOfProjects,
                              [&](const char* name) { return find(value, name) != nullptr; });
}

}  // namespace

Kind Reader::read_file(const std::filesystem::path& file, Kind kind, bool trusted) {
  file_ = file;
  document_ = nullptr;
  const Result<std::string> bytes = os::read_file(file, kMostBytes);
  if (!bytes) return report("", bytes.error()), Kind::kEither;
  return read_text(*bytes, file, kind, file.stem().string(), trusted);
}

Kind Reader::read_text(std::string_view text, const std::filesystem::path& file, Kind kind,
                       std::string_view name, bool trusted) {
  file_ = file;
  document_ = nullptr;
  config.files.push_back(file);
  const Result<JsonDocument> document = parse_jsonc(text);
  if (kind != Kind::kRecipe) {
    variables_.clear();
    blocked_.reset();
  }
  if (!document) return report_syntax(text, document.error()), Kind::kEither;
  document_ = &*document;
  const bool recipe = is_recipe(document->value, kind);
  if (recipe) {
    read_tool(name, document->value, "");
  } else if (document->value.is_object()) {
    read_project(document->value.get_object(), trusted);
  } else {
    report("", refuse("config.not_an_object", {{"found", std::string(json_kind(document->value))}})
                   .error());
  }
  document_ = nullptr;
  return recipe ? Kind::kRecipe : Kind::kProject;
}

void Reader::read_recipes(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == ".json") files.push_back(at->path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) read_file(file, Kind::kRecipe, false);
}

void Reader::read_project(const JsonObject& object, bool trusted) {
  check_object(object, "", file_fields(),
               [&](const std::string& at, Refusal why) { report(at, std::move(why)); });
  blocked_ = read_variables(find(object, "env"), "/env", variables_);
  read_secrets(find(object, "secrets"));
  if (const Json* limits = find(object, "limits"); limits != nullptr && limits->is_object()) {
    read_limits(limits->get_object(), trusted);
  }
  read_jobs(object);
  read_policy(find(object, "policy"), trusted);
  read_serve(find(object, "serve"), trusted);
  read_workspace(find(object, "workspace"), trusted);
  const Json* tools = find(object, "tools");
  if (tools == nullptr || !tools->is_object()) return;
  for (const auto& [name, node] : tools->get_object()) {
    read_tool(name, node, pointer_to("/tools", name));
  }
}

void Reader::read_secrets(const Json* secrets) {
  if (secrets == nullptr || !secrets->is_array()) return;
  for (const Json& name : secrets->get_array()) {
    if (name.is_string()) config.secrets.emplace_back(as_text(name));
  }
}

void Reader::withhold_secrets() {
  std::erase_if(visible_.variables, [&](const auto& entry) {
    return entry.first.starts_with("HELVE_") ||
           std::ranges::find(config.secrets, entry.first) != config.secrets.end();
  });
}

std::optional<Refusal> Reader::read_variables(
    const Json* env, const std::string& pointer,
    std::map<std::string, std::optional<std::string>>& into) {
  std::optional<Refusal> first;
  if (env == nullptr || !env->is_object()) return first;
  for (const auto& [name, value] : env->get_object()) {
    const std::string at = pointer_to(pointer, name);
    if (!is_variable_name(name)) {
      report(at, refuse("config.variable_name", {{"name", std::string(name)}}).error());
    } else if (value.is_null()) {
      into[std::string(name)] = std::nullopt;
    } else if (value.is_string()) {
      const Result<std::string> expanded =
          withheld(expand_variables(as_text(value), visible_.variables));
      if (expanded) {
        into[std::string(name)] = *expanded;
      } else {
        report(at, expanded.error());
        if (!first) first = expanded.error();
      }
    }
  }
  return first;
}

bool Reader::claim_name(std::string_view name, const std::string& pointer) {
  if (!tool::is_tool_name(name)) {
    report(pointer, refuse("tool.name_invalid", {{"name", std::string(name)},
                                                 {"allowed", text("config.tool_name_allowed")}})
                        .error());
    return false;
  }
  if (is_own_tool(name)) {
    report(pointer, refuse("config.tool_reserved", {{"name", std::string(name)}}).error());
    return false;
  }
  if (const ToolConfig* other = config.find(name)) {
    report(pointer, refuse("config.tool_taken", {{"name", std::string(name)},
                                                 {"file", shown_path(other->file, around_)}})
                        .error());
    return false;
  }
  return true;
}

bool Reader::refused_at(std::string_view pointer) const {
  return std::ranges::any_of(config.problems, [&](const Problem& problem) {
    return problem.is_error() && problem.file == file_ && problem.finding.pointer == pointer;
  });
}

void Reader::report_syntax(std::string_view text, Refusal refusal) {
  report("", std::move(refusal));
  Problem& problem = config.problems.back();
  const std::vector<std::string_view> lines = split(text, '\n');
  if (problem.at.line >= 1 && problem.at.line <= lines.size()) {
    problem.source = lines[problem.at.line - 1];
  }
}

void Reader::report(const std::string& pointer, Refusal refusal, Finding::Severity severity) {
  const Position at = document_ != nullptr ? document_->locate(pointer) : place_of(refusal);
  config.problems.push_back(
      {.file = file_, .finding = {severity, pointer, std::move(refusal)}, .at = at});
}

}  // namespace helve::host
