#include "host/own_tools.h"

#include "base/check.h"
#include "tool/job_tools.h"
#include "tool/search_tools.h"

namespace helve::host {

Result<void> add_own_tools(tool::Registry& registry) {
  for (const auto& add : {tool::add_job_tools, tool::add_search_tools}) {
    if (auto added = add(registry); !added) return added;
  }
  return {};
}

bool is_own_tool(std::string_view name) {
  static const auto kOwn = [] {
    auto registry = std::make_unique<tool::Registry>();
    HELVE_CHECK(add_own_tools(*registry));
    return registry;
  }();
  return kOwn->find(name) != nullptr;
}

}  // namespace helve::host
