// mcp/detail/asking.h
//
// What a client can be asked for, by its revision and what it declares, and a question in the words
// of that revision. Pure, but for the ids of pages; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mcp/detail/wire.h"
#include "tool/tool.h"

namespace helve::mcp {

// Forms exist from 2025-06-18 on, pages to visit (url) from 2025-11-25 on.
tool::Asks asks_of(const Json& capabilities, std::string_view revision);

// The capabilities that these questions need beyond `asks`, as the protocol has them:
// {"elicitation": {"form": {}}}; empty if there are none.
JsonObject missing_capabilities(const std::vector<tool::InputRequest>& requests, tool::Asks asks);

// "elicitation.form, sampling".
std::string capability_names(const JsonObject& capabilities);

// Parameters of a question of ours for this revision: before 2025-11-25 forms have no mode, and
// titles of choices stand beside them; pages have an id, which the modern revision has no more.
JsonObject question_params(const tool::InputRequest& request, const Wire& wire);

}  // namespace helve::mcp
