// process/detail/launch.h
//
// Makes the pipes of one command and starts it: all or nothing. Loop thread only.
#pragma once

#include <string>

#include "process/detail/cgroup.h"
#include "process/detail/fence.h"
#include "process/process.h"

namespace helve::process {

struct Launched {
  int pid = -1;  // known to Children
  os::UniqueFd pidfd;
  os::UniqueFd in, out, err;  // our ends, not blocking; `in` only if bytes are left to feed
  size_t fed = 0;             // bytes of the input that are in the pipe already
  std::string mark;
  Cgroup cgroup;
};

// On a failure nothing of it is left.
Failure launch(const Spawn& spawn, const Fence& fence, Launched& launched);

}  // namespace helve::process
