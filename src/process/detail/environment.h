// process/detail/environment.h
//
// The variables of a child as execve wants them: the command's own set or the host's, never the
// host's HELVE_*, and always HELVE_JOB, the mark by which the tree is found again. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace helve::process {

// The part of the mark that all children of this host share; unguessable, and another after a fork.
std::string host_mark();

// "HELVE_JOB=<host>-<job>", different for each call.
std::string new_mark();

class Environment {
 public:
  // `command` is borrowed until the exec.
  Environment(const policy::Command& command, std::string_view mark);
  char* const* pointers() const { return pointers_.data(); }

 private:
  std::string own_;  // "NAME=value\0" one after the other
  std::vector<char*> pointers_;
};

}  // namespace helve::process
