// commands/detail/outcomes.h
//
// What sequences and parallel nodes of the executor share.
#pragma once

#include <vector>

#include "commands/executor.h"

namespace helve::commands {

// CT-93; 130 by CT-73.
inline Outcome cancelled_outcome() {
  constexpr int kCancelled = 130;
  return {.status = Status::kCancelled, .code = kCancelled, .reason = "cancelled"};
}

// A group of a recovery that says nothing is strict (CT-89).
inline tmpl::Failure group_failure(const tmpl::Step& step, bool strict) {
  return step.failure.value_or(strict ? tmpl::Failure::kBranch : tmpl::Failure::kContinue);
}

inline void append(std::vector<size_t>& to, const std::vector<size_t>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace helve::commands
