// commands/detail/answer.h
//
// How a run is told to a model: result, or what failed and what to do (decisions, section 4).
#pragma once

#include "commands/run.h"
#include "tool/tool.h"

namespace helve::commands {

// Without links.
tool::Answer answer_of(const Run& run);

}  // namespace helve::commands
