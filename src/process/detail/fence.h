// process/detail/fence.h
//
// What a command's confinement comes to on this machine: the words that are really executed, and
// what the child puts up before it becomes the program. Worked out by the parent. Any thread.
#pragma once

#include <string>
#include <vector>

#include "os/fd.h"
#include "process/detail/clone.h"
#include "process/process.h"

namespace helve::process {

struct Fence {
  policy::Confine level = policy::Confine::kNone;
  std::string program;            // what execve gets
  std::vector<std::string> argv;  // its words; kFull: bubblewrap's, then the command's
};

// `program` is what find_program gave. Refused as resolve() in means.h does.
Result<Fence> fence_for(const Spawn& spawn, std::string program);

// The descriptors of one start.
struct Raised {
  os::UniqueFd ruleset, filter_file;
};

// Fills its part of the plan. Failure::step is kFence.
Failure raise(const Fence& fence, const policy::Confinement& confinement, ChildPlan& plan,
              Raised& raised);

// Out of the way of the numbers that the child gives to its own descriptors.
os::UniqueFd above_the_childs(os::UniqueFd fd);

}  // namespace helve::process
