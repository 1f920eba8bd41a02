#include "process/detail/probe.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/text.h"
#include "process/detail/bubblewrap.h"
#include "process/detail/cgroup.h"
#include "process/detail/children.h"
#include "process/detail/clone.h"
#include "process/detail/environment.h"
#include "process/detail/landlock.h"
#include "process/detail/procfs.h"
#include "process/detail/program.h"

namespace helve::process {
namespace {

constexpr int kPatienceMs = 2000;
constexpr long kOpenat2 = 437, kPidfdOpen = 434, kClone3 = 435;

bool has_call(long number) {
  return ::syscall(number, -1, nullptr, nullptr, 0) >= 0 || errno != ENOSYS;
}

bool has_seccomp() {
  const unsigned action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

// The status of a child that we have started ourselves, or -1.
int reap(int pid) {
  int status = 0;
  pid_t got = 0;
  while ((got = ::waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
  }
  Children::all().disown(pid);
  return got == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A child that tries it: in a process with threads the call itself would be refused.
int try_user_namespace() {
  auto held = Children::all().lock();
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(::unshare(CLONE_NEWUSER) == 0 ? 0 : errno);
  if (pid < 0) return errno;
  Children::all().own(pid, held);
  held.unlock();
  const int status = reap(pid);
  return status < 0 ? EPERM : status;
}

struct Said {
  int status = -1;
  std::string text;
};

std::string read_until_end(int fd, int pid) {
  std::string text;
  char chunk[512];
  pollfd ready{fd, POLLIN, 0};
  for (;;) {
    if (::poll(&ready, 1, kPatienceMs) <= 0) {
      ::kill(pid, SIGKILL);
      return text;
    }
    // The analyzer does not see that a lock that was returned ends with its scope.
    // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection)
    const ssize_t got = ::read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(chunk, static_cast<size_t>(got));
  }
}

Said run(const std::vector<std::string>& words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const os::UniqueFd read(ends[0]);
  os::UniqueFd write(::fcntl(ends[1], F_DUPFD_CLOEXEC, 3));
  ::close(ends[1]);
  const os::UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const os::UniqueFd in(::fcntl(null.get(), F_DUPFD_CLOEXEC, 3));
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const ChildPlan plan{.program = words.front().c_str(),
                       .argv = argv.data(),
                       .variables = environ,
                       .folder = "/",
                       .in = in.get(),
                       .out = write.get(),
                       .err = write.get()};
  const Cloned cloned = clone_and_own(plan);
  if (cloned.failure) return {};
  write.reset();
  Said said{.text = read_until_end(read.get(), cloned.pid)};
  said.status = reap(cloned.pid);
  return said;
}

std::string found(const char* name) {
  return find_program({.argv = {name}, .program = name, .folder = "/"}).value_or("");
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Really, as a command would be started: a new network is what fails most often.
void try_bubblewrap(Means& means) {
  means.bubblewrap = found("bwrap");
  if (means.bubblewrap.empty()) return;
  const std::string version = first_line(run({means.bubblewrap, "--version"}).text);
  means.bubblewrap_version = version.substr(version.rfind(' ') + 1);
  const policy::Command command{.argv = {"true"}, .folder = "/", .confinement = {.network = false}};
  const auto words = wrapped(command, {.bubblewrap = means.bubblewrap, .program = found("true")});
  if (!words) return;
  const Said said = run(*words);
  if (said.status == 0) return;
  means.bubblewrap_trouble = first_line(said.text);
  if (means.bubblewrap_trouble.empty()) means.bubblewrap_trouble = "?";
}

void look_at_cgroups(Means& means) {
  give_back(take_cgroup());
  means.cgroup = cgroups_folder();
  if (means.cgroup.empty()) return;
  const std::string names = read_small((means.cgroup + "/cgroup.subtree_control").c_str());
  for (const std::string_view name :
       split(std::string_view(names).substr(0, names.find('\n')), ' ')) {
    if (!name.empty()) means.controllers.emplace_back(name);
  }
}

}  // namespace

KernelMeans probe_kernel() { return {.landlock = landlock_abi(), .seccomp = has_seccomp()}; }

Means probe_machine(const KernelMeans& kernel) {
  Means means{.kernel = kernel};
  means.shell = found("bash");
  if (means.shell.empty()) means.shell = found("sh");
  means.clone3 = has_call(kClone3);
  means.pidfd = has_call(kPidfdOpen);
  means.openat2 = has_call(kOpenat2);
  means.subreaper = Children::all().subreaper();
  means.children = own_children().has_value();
  look_at_cgroups(means);
  means.user_namespaces = try_user_namespace();
  try_bubblewrap(means);
  return means;
}

}  // namespace helve::process
