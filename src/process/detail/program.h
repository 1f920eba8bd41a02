// process/detail/program.h
//
// Finds what a command word names, the way execvp would, before anything is started: so that a
// refusal can say where was looked. Never guesses an interpreter. Blocking (a stat per folder of
// PATH); any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/refusal.h"
#include "policy/policy.h"

namespace helve::process {

// A path that execve takes from the command's folder. Refused: process.not_found {program, path},
// process.not_executable {program, reason}.
Result<std::string> find_program(const policy::Command& command);

// The interpreter that the `#!` line of a file names, or "".
std::string interpreter_of(const std::string& file);

// Why execve refused `file`, as a refusal.
Refusal exec_refusal(const policy::Command& command, const std::string& file, int error);

}  // namespace helve::process
