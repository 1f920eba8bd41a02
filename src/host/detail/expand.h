// host/detail/expand.h
//
// `${NAME}` in the values of `env` and `cwd`, and `~` in `cwd`. Nothing else is expanded anywhere
// in the configuration. Pure; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/refusal.h"
#include "host/surroundings.h"

namespace helve::host {

// [A-Za-z_][A-Za-z0-9_]*
bool is_variable_name(std::string_view name);

// Refused: config.variable_unset {name}, config.variable_syntax {text}, config.nul_byte.
Result<std::string> expand_variables(std::string_view text, const Variables& variables);

// Also a leading `~` or `~/`. Refused also: config.home_unknown.
Result<std::filesystem::path> expand_path(std::string_view text, const Surroundings& around);

}  // namespace helve::host
