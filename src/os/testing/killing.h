// os/testing/killing.h
//
// A child that is followed from system call to system call and killed at one of them.
#pragma once

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <functional>

namespace helve::os::testing {

enum class Followed { kKilled, kEnded, kRefused };  // kRefused: this system lets nobody follow

// Runs `act` in a child that dies when it is about to make its system call number `at`, from 0; the
// call is not made. kEnded: it made fewer.
inline Followed kill_at_call(std::size_t at, const std::function<void()>& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
    ::raise(SIGSTOP);
    act();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return Followed::kRefused;
  constexpr long kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, kOptions);
  constexpr int kCall = SIGTRAP | 0x80;
  bool inside = false;
  for (std::size_t calls = 0; WIFSTOPPED(status);) {
    if (WSTOPSIG(status) == kCall) {
      inside = !inside;
      if (inside && calls++ == at) ::kill(child, SIGKILL);
    }
    if (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0 && errno != ESRCH) break;
    if (::waitpid(child, &status, 0) != child) break;
  }
  return WIFSIGNALED(status) ? Followed::kKilled : Followed::kEnded;
}

}  // namespace helve::os::testing
