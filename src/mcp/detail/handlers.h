// mcp/detail/handlers.h
//
// The handlers of mcp/detail/methods.h that have files of their own (lists.cpp, resources.cpp), and
// what handlers share. Loop thread only.
#pragma once

#include <string_view>

#include "mcp/detail/methods.h"

namespace helve::mcp {

Outcome list_tools(const Context& context, const Request& request);
Outcome list_resources(const Context& context, const Request& request);
Outcome list_templates(const Context& context, const Request& request);
Outcome list_prompts(const Context& context, const Request& request);
Outcome complete(const Context& context, const Request& request);

Outcome read_resource(const Context& context, const Request& request);
Outcome subscribe(const Context& context, const Request& request);
Outcome unsubscribe(const Context& context, const Request& request);

// What a modern client may keep, and for whom; older ones know no such members.
JsonObject cacheable(JsonObject result, const Wire& wire, int ttl_ms);

}  // namespace helve::mcp
