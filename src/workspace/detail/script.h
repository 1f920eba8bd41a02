// workspace/detail/script.h
//
// How a command reaches the shell: as an argument, or, beyond what one argument may hold, as a
// sealed file in memory that the shell reads and closes before anything else (WS-28). Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/refusal.h"
#include "process/process.h"

namespace helve::workspace {

inline constexpr std::size_t kMostArgument = 96 * 1024, kMostCommand = 1024 * 1024;

struct Script {
  std::vector<std::string> argv;
  process::File file;  // for Spawn::script; null: it is all in argv
};

// Refused: bash.command_too_large {bytes, limit}; process.busy {what} without memory for it.
Result<Script> script_of(std::string_view shell, std::string_view command);

}  // namespace helve::workspace
