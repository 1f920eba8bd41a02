// tool/definitions.h
//
// helve://tools/NAME: a tool's full definition, the deferred ones' too, as a resource.
#pragma once

#include "tool/registry.h"

namespace helve::tool {

// {name, description, inputSchema}: what it takes to call it.
JsonObject definition_of(const Tool& tool);

// The registry outlives the provider.
ResourceProvider tool_definitions(const Registry& registry);

}  // namespace helve::tool
