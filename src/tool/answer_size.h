// tool/answer_size.h
//
// How large an answer may be, in UTF-16 units of its JSON, as hosts count (R4; decisions, section
// 4). Constants only.
#pragma once

#include <cstddef>

namespace helve::tool {

inline constexpr std::size_t kAnswerLimit = 40'000;

// Of that, for the text a tool answers with: the rest is for its header, its facts and the
// envelope.
inline constexpr std::size_t kTextBudget = 36'000;

}  // namespace helve::tool
