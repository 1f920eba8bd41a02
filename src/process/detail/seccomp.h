// process/detail/seccomp.h
//
// The system calls that a fenced command may not make: those that mount, enter or make namespaces,
// change the kernel or the clock, reach other processes' memory by a side door, or open sockets
// unseen (io_uring). Debuggers may trace: Landlock and the PID namespace keep them inside. What is
// refused gives EPERM; clone3, whose flags a filter cannot see, gives ENOSYS, and every libc falls
// back to clone. Programs of another word size (i386, x32) are refused whole. Any thread.
#pragma once

#include <linux/filter.h>

namespace helve::process {

struct FilterKind {
  bool network = true;           // false: sockets of AF_UNIX only
  bool truncates_freely = true;  // false: Landlock is too old (ABI 1 and 2) to guard truncation
};

// Lives as long as the program.
const sock_fprog& filter_of(const FilterKind& kind);

}  // namespace helve::process
