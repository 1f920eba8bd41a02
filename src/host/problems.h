// host/problems.h
//
// Problems of the configuration as people and programs read them; `check` and a refused start say
// the same. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "host/config.h"
#include "host/console.h"

namespace helve::host {

// "file:line:column: error: message", then where and what next, indented.
std::string problem_text(const Problem& problem, const Surroundings& around, bool color);

// {file, line, column, pointer, severity, rule, message, next}
Json problem_json(const Problem& problem, const Surroundings& around);

// Prints all problems to err and returns kRefused; for faces that do not start on errors.
int refuse_start(const Config& config, Console& console, const Surroundings& around);

}  // namespace helve::host
