// process/detail/landlock.h
//
// Landlock: the kernel's fence around what a process and its children may write. Reading and
// executing stay free. Not guarded by it: a file's mode, owner, times and attributes, sockets that
// are files, and, before ABI 3 (Linux 6.2), truncation, which detail/seccomp.h holds then.
// Numbers by hand: the headers of the system that we are built on are older. Any thread.
#pragma once

#include "os/fd.h"
#include "policy/confinement.h"

namespace helve::process {

int landlock_abi();  // 0: this kernel has none, or it is not switched on

// For landlock_restrict_self. A folder of `writable` that is not there is left out; `held`, if it
// is not -1, is one more of them, by its descriptor. None, with errno: the kernel refuses.
os::UniqueFd make_ruleset(const policy::Confinement& confinement, int abi, int held = -1);

}  // namespace helve::process
