#include "host/config.h"

#include <algorithm>

#include "host/detail/reader.h"

namespace helve::host {
namespace {

namespace fs = std::filesystem;

constexpr char kSchema[] = {
#embed "config.schema.json"
};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return !path.empty() && fs::exists(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

void read_project_and_recipes(Reader& reader, const fs::path& file, bool trusted) {
  reader.config.project = file;
  if (reader.root.empty()) reader.root = file.parent_path();
  reader.read_file(file, Kind::kProject, trusted);
  reader.read_recipes(file.parent_path() / kRecipeFolder);
  reader.finish();
}

void read_folder(Reader& reader, const fs::path& folder) {
  if (is_there(folder / kProjectFile)) {
    return read_project_and_recipes(reader, folder / kProjectFile, false);
  }
  const bool has_recipes = is_folder(folder / kRecipeFolder);
  reader.root = has_recipes || folder.filename() != kRecipeFolder ? folder : folder.parent_path();
  reader.read_recipes(has_recipes ? folder / kRecipeFolder : folder);
}

}  // namespace

const ToolConfig* Config::find(std::string_view tool) const {
  const auto found = std::ranges::find(tools, tool, &ToolConfig::name);
  return found == tools.end() ? nullptr : &*found;
}

std::vector<std::string_view> Config::tool_names() const {
  std::vector<std::string_view> names;
  for (const ToolConfig& tool : tools) names.push_back(tool.name);
  return names;
}

bool Config::has_errors() const { return std::ranges::any_of(problems, &Problem::is_error); }

// The user's file comes first: what it sets bounds the project's. Its tools are listed last.
Config load(const Locations& locations, const Surroundings& around) {
  Reader reader(around);
  const bool named = !locations.config.empty();
  const fs::path project = project_file(locations, around);
  reader.root = find_root(locations, project, around).value_or(fs::path());
  const fs::path user = user_file(around);
  if (!named && is_there(user)) reader.read_file(user, Kind::kProject, true);
  if (!named) reader.withhold_secrets();
  const auto of_user = static_cast<std::ptrdiff_t>(reader.config.tools.size());
  if (!project.empty() && project != user) read_project_and_recipes(reader, project, named);
  std::vector<ToolConfig>& tools = reader.config.tools;
  std::rotate(tools.begin(), tools.begin() + of_user, tools.end());
  return std::move(reader.config);
}

Config load_path(const fs::path& path, const Surroundings& around) {
  Reader reader(around);
  const fs::path whole = absolute(path, around);
  if (is_folder(whole)) {
    read_folder(reader, whole);
  } else if (whole.filename() == kProjectFile) {
    read_project_and_recipes(reader, whole, false);
  } else {
    const fs::path folder = whole.parent_path();
    reader.root = folder.filename() == kRecipeFolder ? folder.parent_path() : folder;
    reader.read_file(whole, Kind::kEither, false);
  }
  return std::move(reader.config);
}

Config load_recipe(const fs::path& file, const Surroundings& around, const tmpl::Limits& limits) {
  Reader reader(around);
  reader.config.template_limits = limits;
  const fs::path whole = absolute(file, around);
  if (reader.read_file(whole, Kind::kEither, false) == Kind::kProject) {
    reader.config.project = whole;
  }
  return std::move(reader.config);
}

Config load_text(std::string_view text, Kind kind, std::string_view name, const fs::path& file,
                 const Surroundings& around, const tmpl::Limits& limits) {
  Reader reader(around);
  reader.config.template_limits = limits;
  reader.read_text(text, file, kind, name, false);
  reader.finish();
  return std::move(reader.config);
}

Variables step_variables(const Config& config, const ToolConfig& tool, const Surroundings& around) {
  Variables variables = around.variables;
  std::erase_if(variables, [&](const auto& entry) {
    return entry.first.starts_with("HELVE_") ||
           std::ranges::find(config.secrets, entry.first) != config.secrets.end();
  });
  for (const auto& [name, value] : tool.variables) {
    if (value) {
      variables[name] = *value;
    } else {
      variables.erase(name);
    }
  }
  return variables;
}

std::string_view config_schema() { return {kSchema, sizeof kSchema}; }

}  // namespace helve::host
