// The least that P children at a time cost: clone3 with a pidfd, epoll, waitid; nothing captured.
// Usage: clone_floor [jobs] [at once] [program]
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;
static char* arguments[2];
static int null_fd;
enum { kStackBytes = 64 * 1024 };

static void child(void) {
  setsid();
  dup2(null_fd, 0);
  dup2(null_fd, 1);
  dup2(null_fd, 2);
  execve(arguments[0], arguments, environ);
  _exit(127);
}

#if defined(__x86_64__)
static int start(char* stack, int* pidfd) {
  struct clone_args args = {.flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD,
                            .pidfd = (uint64_t)pidfd,
                            .exit_signal = 17,
                            .stack = (uint64_t)stack,
                            .stack_size = kStackBytes};
  long result;
  register long rdi asm("rdi") = (long)&args;
  register long rsi asm("rsi") = sizeof args;
  register void* r12 asm("r12") = (void*)child;
  asm volatile("syscall\n\ttest %%rax,%%rax\n\tjnz 1f\n\txor %%ebp,%%ebp\n\tcall *%%r12\n\thlt\n1:"
               : "=a"(result), "+r"(rdi), "+r"(rsi)
               : "a"((long)SYS_clone3), "r"(r12)
               : "rcx", "r11", "memory", "cc");
  return (int)result;
}
#else
static int start(char* stack, int* pidfd) {
  (void)stack;
  const int pid = vfork();
  if (pid == 0) child();
  *pidfd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
  return pid;
}
#endif

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char** argv) {
  const int jobs = argc > 1 ? atoi(argv[1]) : 10000;
  const int at_once = argc > 2 ? atoi(argv[2]) : 2;
  arguments[0] = argc > 3 ? argv[3] : (char*)"/bin/true";
  null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  char* stack = mmap(0, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const double begin = now();
  for (int started = 0, ended = 0; ended < jobs;) {
    while (started < jobs && started - ended < at_once) {
      int pidfd = -1;
      if (start(stack, &pidfd) < 0) return perror("clone3"), 1;
      struct epoll_event event = {.events = EPOLLIN, .data.fd = pidfd};
      epoll_ctl(epoll, EPOLL_CTL_ADD, pidfd, &event);
      ++started;
    }
    struct epoll_event events[16];
    const int count = epoll_wait(epoll, events, 16, -1);
    for (int i = 0; i < count; ++i) {
      siginfo_t info = {0};
      if (waitid((idtype_t)P_PIDFD, (id_t)events[i].data.fd, &info, WEXITED | WNOHANG) != 0)
        continue;
      if (info.si_pid == 0) continue;
      epoll_ctl(epoll, EPOLL_CTL_DEL, events[i].data.fd, 0);
      close(events[i].data.fd);
      ++ended;
    }
  }
  printf("{\"name\": \"clone_floor\", \"jobs_per_s\": %.1f}\n", jobs / (now() - begin));
  return 0;
}
