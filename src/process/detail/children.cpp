#include "process/detail/children.h"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <unordered_set>

#include "os/signals.h"
#include "process/detail/procfs.h"

namespace helve::process {

struct Children::Owned {
  std::unordered_set<int> pids, kept;
  std::unordered_set<int> before;  // of the program that became us by exec
};

// Never destroyed: a Process may outlive the statics of another file.
Children& Children::all() {
  static auto* instance = new Children;
  return *instance;
}

Children::Children() : owned_(*new Owned) {
  subreaper_ = ::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
  os::ignore_sigpipe();  // a child that does not read its input must not end us
  for (const int pid : own_children().value_or(std::vector<int>())) owned_.before.insert(pid);
}

void Children::own(int pid, const std::unique_lock<std::mutex>&) { owned_.pids.insert(pid); }

void Children::disown(int pid) {
  const std::scoped_lock guard(mutex_);
  owned_.pids.erase(pid);
  owned_.kept.erase(pid);
}

void Children::keep(int pid) {
  const std::scoped_lock guard(mutex_);
  owned_.kept.insert(pid);
}

// waitid shows the oldest zombie only, and that one stays where it is.
void Children::reap_past_the_kept() {
  for (const int pid : own_children().value_or(std::vector<int>())) {
    if (owned_.pids.contains(pid)) continue;
    collect(pid);
  }
}

void Children::collect(int pid) {
  siginfo_t info{};
  const bool gone = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG) == 0;
  if (gone && info.si_pid == pid) owned_.before.erase(pid);
}

void Children::reap_orphans() {
  const std::scoped_lock guard(mutex_);
  for (;;) {
    // A look first: the zombie on top may be the leader of a Process, which collects it itself.
    // What waits behind it is found by the next call.
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return;
    if (owned_.kept.contains(info.si_pid)) return reap_past_the_kept();
    if (info.si_pid == 0 || owned_.pids.contains(info.si_pid)) return;
    collect(info.si_pid);
  }
}

std::optional<std::vector<int>> Children::orphans() {
  const std::scoped_lock guard(mutex_);
  const std::optional<std::vector<int>> all = subreaper_ ? own_children() : std::nullopt;
  if (!all) return std::nullopt;
  std::vector<int> orphans;
  for (const int pid : *all) {
    if (!owned_.pids.contains(pid) && !owned_.before.contains(pid)) orphans.push_back(pid);
  }
  return orphans;
}

}  // namespace helve::process
