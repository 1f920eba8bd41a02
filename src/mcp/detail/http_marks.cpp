#include "mcp/detail/http_marks.h"

namespace helve::mcp {
namespace {

constexpr size_t kMostKnown = 4096;

}  // namespace

Checked ParamMarks::check(const tool::Registry& registry, const http::Headers& headers,
                          const JsonObject& params) {
  const Json* name = find(params, "name");
  if (name == nullptr || !name->is_string()) return {};
  const auto tool = registry.find(as_text(*name));
  if (!tool) return {};
  const auto& marks = marks_of(tool);
  if (marks.empty()) return {};
  const Json* arguments = find(params, "arguments");
  return check_param_headers(headers, marks, arguments == nullptr ? Json(nullptr) : *arguments);
}

const std::vector<ParamHeader>& ParamMarks::marks_of(
    const std::shared_ptr<const tool::Tool>& tool) {
  const auto entry = known_.find(tool.get());
  // Another tool may have come to lie where one was that is gone.
  if (entry != known_.end() && entry->second.tool.lock() == tool) return entry->second.marks;
  if (known_.size() >= kMostKnown) known_.clear();
  // Wrong marks are refused when the tool is loaded; clients drop such a tool.
  auto marks = read_param_headers(tool->input).value_or(std::vector<ParamHeader>());
  return (known_[tool.get()] = {tool, std::move(marks)}).marks;
}

}  // namespace helve::mcp
