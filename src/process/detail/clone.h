// process/detail/clone.h
//
// The moment of the clone. The child shares our memory until execve and the calling thread sleeps
// meanwhile, so the cost does not depend on our size, and the child may use raw system calls only:
// no allocation, no lock, nothing of libc that touches a thread's state. Thread-safe.
#pragma once

#include <linux/filter.h>
#include <sys/resource.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "os/fd.h"

namespace helve::process {

// Plain data: all that the child needs, worked out before. Pointers stay the caller's.
struct ChildPlan {
  static constexpr int kOwnNice = 1000;
  const char* program = nullptr;  // a path; relative to `folder`
  char* const* argv = nullptr;
  char* const* variables = nullptr;
  const char* folder = nullptr;
  int folder_fd = -1;                 // entered in place of `folder`, if there is one
  int in = -1, out = -1, err = -1;    // each at least 3
  int script = -1, filter_file = -1;  // at least 5; they become 3 and the next
  int cgroup = -1;                    // its folder, or -1: ours
  bool die_with_parent = false;
  int umask = -1;                       // -1: the host's own
  int nice = kOwnNice;                  // absolute
  const char* oom_score_adj = nullptr;  // its text, or ours
  int ruleset = -1;                     // Landlock's; at least 5
  const sock_fprog* filter = nullptr;   // the system calls that it may make
  bool no_new_privileges = false;       // needed by both
  struct Limit {
    int resource;
    std::uint64_t soft, hard;
  };
  std::array<Limit, 8> limits{};
  std::size_t limit_count = 0;
};

enum class Step { kNone, kPipe, kInput, kClone, kLimit, kFolder, kFence, kExec, kWatch };

struct Failure {
  Step step = Step::kNone;
  int error = 0;
  explicit operator bool() const { return step != Step::kNone; }
};

struct Cloned {
  Failure failure;  // kClone, kLimit, kFolder, kFence or kExec: then there is no child any more
  int pid = -1;
  os::UniqueFd pidfd;
};

// kPortable is the old clone: other processors, and where a filter forbids clone3. It cannot
// place the child in a cgroup.
enum class Method { kBest, kPortable };

Cloned clone_child(const ChildPlan& plan, Method method = Method::kBest);

// The best way, and from its first moment the child belongs to us (children.h).
Cloned clone_and_own(const ChildPlan& plan);

}  // namespace helve::process
