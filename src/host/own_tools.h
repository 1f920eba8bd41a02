// host/own_tools.h
//
// The tools that every server has beside the owner's. Their names are taken. Loop thread only.
#pragma once

#include <string_view>

#include "tool/registry.h"

namespace helve::host {

Result<void> add_own_tools(tool::Registry& registry);

bool is_own_tool(std::string_view name);

}  // namespace helve::host
