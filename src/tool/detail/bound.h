// tool/detail/bound.h
//
// Keeps an encoded answer within a number of characters (R4). Characters are UTF-16 units of the
// JSON text, which is how hosts count and the largest of the usual ways. Pure.
#pragma once

#include <cstddef>

#include "base/encoded.h"
#include "tool/tool.h"

namespace helve::tool {

using helve::encoded_size;

// What the answer takes: text, structured part, `_meta`, links and blocks, with room for the
// envelope around them. Images and audio are left out: hosts count those by themselves.
size_t encoded_size(const Answer& answer);

// Cuts the text and says what was cut and how to get the rest. Refused: tool.answer_too_large
// {tool, size, limit} where cutting the text is not enough.
Result<Answer> bound(Answer answer, const Tool& tool, size_t limit);

}  // namespace helve::tool
