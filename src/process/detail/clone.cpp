#include "process/detail/clone.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>

#include "base/check.h"
#include "process/detail/children.h"

// Instrumented code would use the shadow memory and the thread state of the sleeping parent.
#define HELVE_RAW __attribute__((disable_sanitizer_instrumentation, no_stack_protector))

namespace helve::process {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;
constexpr int kSignals = 64;
constexpr long kLandlockRestrictSelf = 446;

// A system call without errno: the result, or -errno.
HELVE_RAW inline long raw(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
               : "rcx", "r11", "memory");
  return result;
#else
  const long result = ::syscall(number, a, b, c, d, e);
  return result < 0 ? -errno : result;
#endif
}

template <typename T>
HELVE_RAW inline long address(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

struct KernelAction {
  void* handler;
  unsigned long flags;
  void* restorer;
  std::uint64_t mask;
};

// Shared with the child: it leaves here why it did not become the program.
struct Shared {
  const ChildPlan* plan;
  std::uint64_t reset;  // bit n - 1: give signal n its default back
  volatile Step step;
  volatile int error;
};

[[noreturn]] HELVE_RAW void give_up(Shared* shared, Step step, long result) {
  shared->error = static_cast<int>(-result);
  shared->step = step;
  for (;;) raw(SYS_exit_group, 127);
}

HELVE_RAW inline void default_signals(std::uint64_t reset) {
  const KernelAction action{};  // SIG_DFL
  for (int number = 1; number <= kSignals; ++number) {
    if ((reset >> (number - 1) & 1) == 0) continue;
    raw(SYS_rt_sigaction, number, address(&action), 0, sizeof action.mask);
  }
  const std::uint64_t none = 0;
  raw(SYS_rt_sigprocmask, SIG_SETMASK, address(&none), 0, sizeof none);
}

// What has no effect where /proc is not mounted is not worth a failure.
HELVE_RAW inline void set_weights(const ChildPlan& plan) {
  if (plan.umask >= 0) raw(SYS_umask, plan.umask);
  if (plan.nice != ChildPlan::kOwnNice) raw(SYS_setpriority, PRIO_PROCESS, 0, plan.nice);
  if (plan.oom_score_adj == nullptr) return;
  const long fd =
      raw(SYS_openat, AT_FDCWD, address("/proc/self/oom_score_adj"), O_WRONLY | O_CLOEXEC, 0);
  if (fd < 0) return;
  long size = 0;
  while (plan.oom_score_adj[size] != 0) ++size;
  raw(SYS_write, fd, address(plan.oom_score_adj), size);
  raw(SYS_close, fd);
}

HELVE_RAW inline void raise_fence(Shared* shared, const ChildPlan& plan) {
  if (!plan.no_new_privileges) return;
  long result = raw(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (result < 0) give_up(shared, Step::kFence, result);
  if (plan.ruleset < 0) return;
  result = raw(kLandlockRestrictSelf, plan.ruleset, 0);
  if (result < 0) give_up(shared, Step::kFence, result);
}

HELVE_RAW inline void set_descriptors(const ChildPlan& plan) {
  long next = 3;
  raw(SYS_dup3, plan.in, 0, 0);
  raw(SYS_dup3, plan.out, 1, 0);
  raw(SYS_dup3, plan.err, 2, 0);
  if (plan.script >= 0) raw(SYS_dup3, plan.script, next++, 0);
  if (plan.filter_file >= 0) raw(SYS_dup3, plan.filter_file, next++, 0);
}

HELVE_RAW int child_main(void* argument) {
  auto* shared = static_cast<Shared*>(argument);
  const ChildPlan& plan = *shared->plan;
  raw(SYS_setsid);
  if (plan.die_with_parent) raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  const long moved =
      plan.folder_fd >= 0 ? raw(SYS_fchdir, plan.folder_fd) : raw(SYS_chdir, address(plan.folder));
  if (moved < 0) give_up(shared, Step::kFolder, moved);
  set_descriptors(plan);
  for (std::size_t i = 0; i < plan.limit_count; ++i) {
    const ChildPlan::Limit& limit = plan.limits[i];
    const std::uint64_t values[2] = {limit.soft, limit.hard};
    const long result = raw(SYS_prlimit64, 0, limit.resource, address(values), 0);
    if (result < 0) give_up(shared, Step::kLimit, result);
  }
  set_weights(plan);
  raise_fence(shared, plan);
  // Also what our own parent left open for us without close-on-exec.
  const long kept = 3 + (plan.script >= 0 ? 1 : 0) + (plan.filter_file >= 0 ? 1 : 0);
  raw(SYS_close_range, kept, static_cast<long>(UINT_MAX), 0);
  default_signals(shared->reset);
  if (plan.filter != nullptr) {
    const long result = raw(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, address(plan.filter));
    if (result < 0) give_up(shared, Step::kFence, result);
  }
  give_up(shared, Step::kExec,
          raw(SYS_execve, address(plan.program), address(plan.argv), address(plan.variables)));
}

class Stack {
 public:
  Stack()
      : base_(::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {
    HELVE_CHECK(base_ != MAP_FAILED);
    HELVE_CHECK(::mprotect(base_, 4096, PROT_NONE) == 0);  // a guard page
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack() { ::munmap(base_, kStackBytes); }
  void* base() const { return base_; }

 private:
  void* base_;
};

// What the host ignores would stay ignored across execve; what it handles is reset by the kernel.
std::uint64_t ignored_signals() {
  std::uint64_t bits = 1ULL << (SIGPIPE - 1) | 1ULL << (SIGXFSZ - 1);
  for (int number = 1; number <= kSignals; ++number) {
    KernelAction now{};
    if (raw(SYS_rt_sigaction, number, 0, address(&now), sizeof now.mask) < 0) continue;
    if (now.handler == reinterpret_cast<void*>(SIG_IGN)) bits |= 1ULL << (number - 1);
  }
  return bits;
}

#if defined(__x86_64__)
// The child returns on its new stack, where only a call makes sense.
HELVE_RAW long raw_clone(long number, long a, long b, int* pidfd, Shared* shared) {
  long result;
  register long rdi asm("rdi") = a;
  register long rsi asm("rsi") = b;
  register int* rdx asm("rdx") = pidfd;
  register auto r12 asm("r12") = child_main;
  register auto* r13 asm("r13") = shared;
  asm volatile(
      "syscall\n\ttest %%rax,%%rax\n\tjnz 1f\n\t"
      "mov %%r13,%%rdi\n\txor %%ebp,%%ebp\n\tcall *%%r12\n\thlt\n1:"
      : "=a"(result), "+r"(rdi), "+r"(rsi), "+r"(rdx)
      : "a"(number), "r"(r12), "r"(r13)
      : "rcx", "r11", "memory", "cc");
  return result;
}

HELVE_RAW long clone3(Shared* shared, void* stack, int* pidfd) {
  clone_args args{};
  args.flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | CLONE_CLEAR_SIGHAND;
  args.pidfd = reinterpret_cast<std::uint64_t>(pidfd);
  args.exit_signal = SIGCHLD;
  args.stack = reinterpret_cast<std::uint64_t>(stack);
  args.stack_size = kStackBytes;
  std::size_t size = CLONE_ARGS_SIZE_VER1;
  if (shared->plan->cgroup >= 0) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(shared->plan->cgroup);
    size = CLONE_ARGS_SIZE_VER2;
  }
  return raw_clone(SYS_clone3, address(&args), static_cast<long>(size), pidfd, shared);
}
#endif

// Without CLONE_CLEAR_SIGHAND: every handler of the host has to be undone in the child.
long portable_clone(Shared* shared, void* stack, int* pidfd) {
  shared->reset = ~(1ULL << (SIGKILL - 1) | 1ULL << (SIGSTOP - 1));
  constexpr int kFlags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD;
  char* top = static_cast<char*>(stack) + kStackBytes;
#if defined(__x86_64__)
  return raw_clone(SYS_clone, kFlags, address(top), pidfd, shared);
#else
  const int pid = ::clone(child_main, top, kFlags, shared, pidfd);
  return pid < 0 ? -errno : pid;
#endif
}

long clone_with_signals_blocked(Shared* shared, int* pidfd, Method method) {
  thread_local const Stack kStack;
  const std::uint64_t all = ~0ULL;
  std::uint64_t before = 0;
  raw(SYS_rt_sigprocmask, SIG_SETMASK, address(&all), address(&before), sizeof all);
  long result = -ENOSYS;
#if defined(__x86_64__)
  if (method == Method::kBest) result = clone3(shared, kStack.base(), pidfd);
#endif
  if ((result == -ENOSYS || result == -EPERM) && shared->plan->cgroup < 0) {
    result = portable_clone(shared, kStack.base(), pidfd);
  }
  raw(SYS_rt_sigprocmask, SIG_SETMASK, address(&before), 0, sizeof before);
  return result;
}

}  // namespace

Cloned clone_child(const ChildPlan& plan, Method method) {
  static const std::uint64_t kIgnored = ignored_signals();
  Shared shared{.plan = &plan, .reset = kIgnored, .step = Step::kNone, .error = 0};
  int pidfd = -1;
  const long pid = clone_with_signals_blocked(&shared, &pidfd, method);
  if (pid < 0) return {.failure = {Step::kClone, static_cast<int>(-pid)}};
  Cloned cloned{.pid = static_cast<int>(pid), .pidfd = os::UniqueFd(pidfd)};
  if (shared.step == Step::kNone) return cloned;
  siginfo_t info{};  // it has left already; only its number is to be given back
  while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED) != 0 && errno == EINTR) {
  }
  return {.failure = {shared.step, shared.error}};
}

Cloned clone_and_own(const ChildPlan& plan) {
  const auto held = Children::all().lock();
  Cloned cloned = clone_child(plan);
  if (!cloned.failure) Children::all().own(cloned.pid, held);
  return cloned;
}

}  // namespace helve::process
