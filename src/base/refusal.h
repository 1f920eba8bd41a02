// base/refusal.h
//
// What a function answers when the caller asked for something that is not done: a stable rule, the
// values that its sentences name, facts for programs. The sentences themselves are lines of the
// text table (base/texts.h): `refused.RULE` and `next.RULE`. Plain values; any thread.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace helve {

// Named values for the places `{name}` of a sentence, in any order.
using Texts = std::vector<std::pair<std::string, std::string>>;

struct Refusal {
  std::string rule;  // stable id, `area.snake_case`, listed in docs/rules.md
  Texts args;
  Json details = nullptr;  // facts for programs; null for most
  bool operator==(const Refusal&) const = default;
};

template <typename T>
using Result = std::expected<T, Refusal>;

std::unexpected<Refusal> refuse(std::string_view rule, Texts args = {}, Json details = nullptr);

// A remark about one place of a document: `pointer` is the JSON pointer (RFC 6901) of the member.
struct Finding {
  enum class Severity { kWarning, kError };
  Severity severity = Severity::kError;
  std::string pointer;
  Refusal what;
  bool operator==(const Finding&) const = default;
};

}  // namespace helve
