#include "tool/registry.h"

#include "base/check.h"
#include "base/texts.h"

namespace helve::tool {
namespace {

constexpr size_t kMostNameBytes = 48;  // the server's prefix and the name stay within 64 (R8)

bool is_name(std::string_view name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !name.empty() && name.size() <= kMostNameBytes &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

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

}  // namespace

Result<void> Registry::add(Tool tool) {
  HELVE_CHECK(tool.run);
  if (!is_name(tool.name)) return refuse("tool.name_invalid", {{"name", tool.name}});
  if (rows_.contains(tool.name)) return refuse("tool.name_taken", {{"name", tool.name}});
  auto input = compile(tool.name, tool.input);
  if (!input) return std::unexpected(input.error());
  if (auto portable = check_portable(tool); !portable) return portable;
  std::optional<schema::Schema> output;
  if (tool.output) {
    auto compiled = compile(tool.name, *tool.output);
    if (!compiled) return std::unexpected(compiled.error());
    output = *std::move(compiled);
  }
  rows_.emplace(tool.name, Row{tools_.size(), *std::move(input), std::move(output)});
  tools_.push_back(std::move(tool));
  return {};
}

void Registry::add(ResourceProvider provider) { resources_.push_back(std::move(provider)); }

const Tool* Registry::find(std::string_view name) const {
  const auto row = rows_.find(name);
  return row == rows_.end() ? nullptr : &tools_[row->second.index];
}

}  // namespace helve::tool
