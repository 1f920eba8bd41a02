// tool/detail/arguments.h
//
// From the arguments that a host sent to the ones that a tool reads: what came as text becomes what
// the schema says (R9), then the schema is held against it. Pure.
#pragma once

#include "schema/schema.h"
#include "tool/tool.h"

namespace helve::tool {

// Refused: args.invalid {tool, problems, example}; details {violations: [{field,
// expected}]}.
Result<JsonObject> read_arguments(const Tool& tool, const schema::Schema& schema, Json sent);

}  // namespace helve::tool
