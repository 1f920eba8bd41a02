// template/conform.h
//
// Answers the cases of the command-template vectors with the real code, for `helve conform`. Whole
// trees (ct-compose/1) belong to commands/. Pure; any thread.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/refusal.h"

namespace helve::tmpl {

// The `actual` object of one case of "ct-split/1", "ct-expand/1" or "ct-repeat/1"; refused cases
// give {"error": class}. Refused: template.unknown_vectors {format},
// template.invalid_case {member} where the case itself cannot be read.
Result<Json> answer_case(std::string_view format, const Json& test_case);

}  // namespace helve::tmpl
