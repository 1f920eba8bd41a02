// commands/conform.h
//
// Answers one case of the vector format ct-compose/1 on the real executor, with the fake commands
// that the case describes. Blocking; any thread.
#pragma once

#include "base/refusal.h"

namespace helve::commands {

// {"status", "exit", "result", "stderr", "calls", "branches"} or {"error": class}. Refused:
// conform.case_invalid {reason} if the case is not of the format.
Result<Json> answer_compose_case(const Json& test_case);

}  // namespace helve::commands
