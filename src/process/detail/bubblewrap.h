// process/detail/bubblewrap.h
//
// The words for bubblewrap (Debian's package of that name) that put a command into namespaces of
// its own: user, mount, PID, IPC, UTS and, without network, net. It sees a read-only file system
// around what it may write, a /tmp of its own, and only its own processes. The filter of
// detail/seccomp.h is set by bubblewrap itself, after its mounts; Landlock is not used here, since
// under it nobody can mount: so the mounts alone hold the paths. argv[0] is the program's path.
// No --die-with-parent unless the spawn asks for it: what the shell leaves behind would go with it.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "base/refusal.h"
#include "policy/policy.h"

namespace helve::process {

struct Wrapping {
  std::string bubblewrap;  // its path
  std::string program;     // what find_program gave
  int filter = -1;         // the number of the filter's descriptor in the child; -1: none
  bool die_with_parent = false;
};

// Refused: confine.unavailable, where the place of `bind` cannot be made.
Result<std::vector<std::string>> wrapped(const policy::Command& command, const Wrapping& wrapping);

}  // namespace helve::process
