#include "process/warden.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <string>

#include "os/fd.h"
#include "process/detail/cgroup.h"
#include "process/detail/children.h"
#include "process/detail/procfs.h"
#include "process/leftovers.h"

namespace helve::process {
namespace {

constexpr int kPasses = 200;
constexpr useconds_t kPause = 20000;

// Nothing of the host's: its streams have to close when it dies.
void let_go_of_all_but(int pipe) {
  ::setsid();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(number, SIG_IGN);
  ::prctl(PR_SET_NAME, "helve-warden");
  const int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
  ::dup2(pipe, 3);
  ::syscall(SYS_close_range, 4, UINT_MAX, 0);
  if (::chdir("/") != 0) ::_exit(1);
}

bool kill_marked(const std::string& mark) {
  bool found = false;
  for (const Member& member : all_members()) {
    if (!has_variable_like(member.pid, mark)) continue;
    found = process::signal(member, SIGKILL) == 0 || found;
  }
  return found;
}

void end_all(const std::string& mark, const std::string& cgroups) {
  const std::string kill = cgroups + "/cgroup.kill";
  const os::UniqueFd file(cgroups.empty() ? -1 : ::open(kill.c_str(), O_WRONLY | O_CLOEXEC));
  const bool killed = file && ::write(file.get(), "1", 1) == 1;
  for (int pass = 0; pass < kPasses && kill_marked(mark); ++pass) ::usleep(kPause);
  for (int pass = 0; pass < kPasses && killed && !remove_cgroups(cgroups); ++pass) {
    ::usleep(kPause);  // they are still on their way out
  }
}

[[noreturn]] void watch(int pipe, const std::string& mark, const std::string& cgroups) {
  let_go_of_all_but(pipe);
  char byte = 0;
  for (;;) {
    const ssize_t got = ::read(3, &byte, 1);
    if (got == 0 || (got < 0 && errno != EINTR)) break;
  }
  end_all(mark, cgroups);
  ::_exit(0);
}

// Our end of its pipe, which stays open until we die: that is what it is for.
struct Warden {
  int pid = -1, pipe = -1;

  // Nobody reads the pipe any more: a command may have killed it.
  bool gone() const {
    pollfd asked{pipe, 0, 0};
    return pipe >= 0 && ::poll(&asked, 1, 0) == 1 && (asked.revents & POLLERR) != 0;
  }
  void let_go() {
    Children::all().disown(pid);
    ::close(pipe);
    *this = {};
  }
};

bool fork_warden(Warden& warden) {
  const std::string mark = own_marks();
  give_back(take_cgroup());  // so that the folder is there, to be named
  const std::string cgroups = cgroups_folder();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  const os::UniqueFd read(ends[0]);
  os::UniqueFd write(ends[1]);
  const auto held = Children::all().lock();
  const pid_t pid = ::fork();
  if (pid == 0) watch(read.get(), mark, cgroups);
  if (pid < 0) return false;
  Children::all().own(pid, held);
  warden = {.pid = pid, .pipe = write.release()};
  return true;
}

Warden& the_warden() {
  static Warden warden;
  return warden;
}

}  // namespace

bool start_warden() {
  Warden& warden = the_warden();
  return warden.pipe >= 0 || fork_warden(warden);
}

void keep_warden() {
  Warden& warden = the_warden();
  if (!warden.gone()) return;
  warden.let_go();
  fork_warden(warden);
}

}  // namespace helve::process
