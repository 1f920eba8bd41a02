#include "tool/registry.h"

#include <algorithm>

#include "base/check.h"
#include "base/texts.h"
#include "tool/detail/row.h"

namespace helve::tool {
namespace {

constexpr size_t kMostCompletions = 100;

std::string argument(const Refusal& refusal, std::string_view key) {
  for (const auto& [name, value] : refusal.args) {
    if (name == key) return value;
  }
  return "";
}

Result<schema::Schema> compile(const std::string& name, const Json& document) {
  auto compiled = schema::Schema::compile(document);
  if (compiled) return compiled;
  return refuse("tool.schema_invalid", {{"name", name},
                                        {"pointer", argument(compiled.error(), "pointer")},
                                        {"reason", render(compiled.error()).message}});
}

// R7: one schema that a host does not take fails every tool of the session.
Result<void> check_portable(const Tool& tool) {
  for (const Finding& finding : schema::portability(tool.input)) {
    if (finding.severity != Finding::Severity::kError) continue;
    const Rendered rendered = render(finding.what);
    return refuse("tool.schema_not_portable", {{"name", tool.name},
                                               {"pointer", finding.pointer},
                                               {"reason", rendered.message},
                                               {"fix", rendered.next}});
  }
  return {};
}

template <typename Row, typename Name>
bool has_name(const std::vector<std::shared_ptr<const Row>>& rows, std::string_view name,
              Name name_of) {
  return std::ranges::any_of(rows, [&](const auto& row) { return name_of(*row) == name; });
}

Registry::Completion completion(const std::vector<std::string>& all, std::string_view begin) {
  Registry::Completion found;
  for (const std::string& value : all) {
    if (!value.starts_with(begin)) continue;
    if (++found.total <= kMostCompletions) found.values.push_back(value);
  }
  return found;
}

}  // namespace

bool is_tool_name(std::string_view name) {
  constexpr size_t kMostBytes = 48;  // the server's prefix and the name stay within 64
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !name.empty() && name.size() <= kMostBytes &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

Registry::Registry() = default;
Registry::~Registry() = default;

Result<std::shared_ptr<const Registry::Row>> Registry::make_row(Tool tool) const {
  HELVE_CHECK(tool.run);
  if (!is_tool_name(tool.name)) return refuse("tool.name_invalid", {{"name", tool.name}});
  auto input = compile(tool.name, tool.input);
  if (!input) return std::unexpected(input.error());
  if (auto portable = check_portable(tool); portable_only && !portable) {
    return std::unexpected(portable.error());
  }
  std::optional<schema::Schema> output;
  if (tool.output) {
    auto compiled = compile(tool.name, *tool.output);
    if (!compiled) return std::unexpected(compiled.error());
    output = *std::move(compiled);
  }
  return std::make_shared<const Row>(Row{std::move(tool), *std::move(input), std::move(output)});
}

Result<std::shared_ptr<const Registry::PromptRow>> Registry::make_row(Prompt prompt) const {
  HELVE_CHECK(prompt.get || prompt.source);
  if (!is_tool_name(prompt.name)) return refuse("tool.name_invalid", {{"name", prompt.name}});
  std::shared_ptr<const Row> source;
  if (prompt.source) {
    auto row = make_row(*prompt.source);
    if (!row) return std::unexpected(row.error());
    source = *std::move(row);
  }
  return std::make_shared<const PromptRow>(PromptRow{std::move(prompt), std::move(source)});
}

namespace {

constexpr auto kToolName = [](const auto& row) -> const std::string& { return row.tool.name; };
constexpr auto kPromptName = [](const auto& row) -> const std::string& { return row.prompt.name; };

template <typename Row, typename Name>
Result<void> add_row(std::vector<std::shared_ptr<const Row>>& rows,
                     const std::vector<std::shared_ptr<const Row>>& others,
                     Result<std::shared_ptr<const Row>> row, Name name_of) {
  if (!row) return std::unexpected(row.error());
  const std::string& name = name_of(**row);
  if (has_name(rows, name, name_of) || has_name(others, name, name_of)) {
    return refuse("tool.name_taken", {{"name", name}});
  }
  rows.push_back(*std::move(row));
  return {};
}

// What a client sees of a row, to tell whether its list is still right.
Json shown(const Tool& tool) {
  const Annotations& hints = tool.annotations;
  return JsonArray{
      tool.name,        tool.description, tool.input,        Json(tool.output.value_or(nullptr)),
      hints.title,      hints.read_only,  hints.destructive, hints.idempotent,
      hints.open_world, tool.deferred};
}

Json shown(const Prompt& prompt) {
  JsonArray arguments;
  for (const PromptArgument& argument : prompt.arguments) {
    arguments.push_back(JsonArray{argument.name, argument.description, argument.required});
  }
  return JsonArray{prompt.name, prompt.title, prompt.description, std::move(arguments)};
}

template <typename Row>
JsonArray shown(const std::vector<std::shared_ptr<const Row>>& rows) {
  JsonArray all;
  for (const auto& row : rows) {
    if constexpr (requires { row->tool; }) {
      all.push_back(shown(row->tool));
    } else {
      all.push_back(shown(row->prompt));
    }
  }
  return all;
}

}  // namespace

Result<void> Registry::add(Tool tool) {
  return add_row(own_, owned_, make_row(std::move(tool)), kToolName);
}

Result<void> Registry::add(Prompt prompt) {
  return add_row(own_prompts_, owned_prompts_, make_row(std::move(prompt)), kPromptName);
}

void Registry::add(ResourceProvider provider) { resources_.push_back(std::move(provider)); }

Result<void> Registry::set_owned(std::vector<Tool> tools, std::vector<Prompt> prompts) {
  std::vector<std::shared_ptr<const Row>> rows;
  for (Tool& tool : tools) {
    auto added = add_row(rows, own_, make_row(std::move(tool)), kToolName);
    if (!added) return added;
  }
  std::vector<std::shared_ptr<const PromptRow>> prompt_rows;
  for (Prompt& prompt : prompts) {
    auto added = add_row(prompt_rows, own_prompts_, make_row(std::move(prompt)), kPromptName);
    if (!added) return added;
  }
  const bool other_tools = shown(rows) != shown(owned_);
  const bool other_prompts = shown(prompt_rows) != shown(owned_prompts_);
  owned_ = std::move(rows);
  owned_prompts_ = std::move(prompt_rows);
  if (other_tools) changed({Change::What::kTools, ""});
  if (other_prompts) changed({Change::What::kPrompts, ""});
  return {};
}

std::vector<std::shared_ptr<const Tool>> Registry::tools() const {
  std::vector<std::shared_ptr<const Tool>> all;
  for (const auto* rows : {&owned_, &own_}) {
    for (const auto& row : *rows) all.emplace_back(row, &row->tool);
  }
  return all;
}

std::vector<std::shared_ptr<const Prompt>> Registry::prompts() const {
  std::vector<std::shared_ptr<const Prompt>> all;
  for (const auto* rows : {&owned_prompts_, &own_prompts_}) {
    for (const auto& row : *rows) all.emplace_back(row, &row->prompt);
  }
  return all;
}

std::shared_ptr<const Registry::Row> Registry::find_row(std::string_view name) const {
  for (const auto* rows : {&owned_, &own_}) {
    for (const auto& row : *rows) {
      if (row->tool.name == name) return row;
    }
  }
  return nullptr;
}

std::shared_ptr<const Registry::PromptRow> Registry::find_prompt(std::string_view name) const {
  for (const auto* rows : {&owned_prompts_, &own_prompts_}) {
    for (const auto& row : *rows) {
      if (row->prompt.name == name) return row;
    }
  }
  return nullptr;
}

std::shared_ptr<const Tool> Registry::find(std::string_view name) const {
  const auto row = find_row(name);
  return row == nullptr ? nullptr : std::shared_ptr<const Tool>(row, &row->tool);
}

Result<Registry::Completion> Registry::complete_prompt(std::string_view prompt,
                                                       std::string_view argument,
                                                       std::string_view value) const {
  const auto row = find_prompt(prompt);
  if (!row) return refuse("prompt.unknown", {{"prompt", std::string(prompt)}});
  const auto& arguments = row->prompt.arguments;
  const auto found = std::ranges::find(arguments, argument, &PromptArgument::name);
  if (found == arguments.end()) return Completion();
  return completion(found->values, value);
}

Result<Registry::Completion> Registry::complete_resource(Session& session,
                                                         std::string_view uri_template,
                                                         std::string_view variable,
                                                         std::string_view value) const {
  for (const ResourceProvider& provider : resources_) {
    for (const ResourceTemplate& row : provider.templates) {
      if (row.uri_template != uri_template) continue;
      return row.values ? completion(row.values(session, variable), value) : Completion();
    }
  }
  return refuse("resource.not_found", {{"uri", std::string(uri_template)}});
}

void Registry::changed(const Change& change) {
  for (const auto& react : listeners_) react(change);
}

void Registry::on_change(std::function<void(const Change&)> react) {
  listeners_.push_back(std::move(react));
}

}  // namespace helve::tool
