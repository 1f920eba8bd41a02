// host/detail/expand.h
//
// `${NAME}` and `${NAME:-text}` in the values of `env` and `cwd`, and `~` in `cwd`. Nothing else is
// expanded anywhere in the configuration. Pure; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/refusal.h"
#include "host/surroundings.h"

namespace helve::host {

// [A-Za-z_][A-Za-z0-9_]*
bool is_variable_name(std::string_view name);

// `${NAME:-text}` is `text`, up to the next brace and as it stands, where NAME is unset or empty.
// Refused: config.variable_unset {name}, config.variable_syntax {text}, config.nul_byte.
Result<std::string> expand_variables(std::string_view text, const Variables& variables);

// A `{` that begins no variable: it would be a placeholder, which only templates have.
bool has_placeholder(std::string_view text);

// The name in a placeholder of one of `names`: `{name}`, `{name=x}`; "" if there is none.
std::string placeholder_of(std::string_view text, const std::vector<std::string_view>& names);

// Also a leading `~` or `~/`. Refused also: config.home_unknown.
Result<std::filesystem::path> expand_path(std::string_view text, const Surroundings& around);

}  // namespace helve::host
