#include "process/detail/tree.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <unordered_set>

namespace helve::process {
namespace {

bool same(const Member& a, const Member& b) { return a.pid == b.pid && a.started == b.started; }

}  // namespace

std::vector<Member> Tree::members() const {
  std::vector<Member> found = cgroup_ ? members_of_cgroup() : members_by_search();
  std::erase_if(found, [&](const Member& member) {
    return std::ranges::any_of(beyond_us_, [&](const Member& m) { return same(m, member); });
  });
  return found;
}

// A number that is in the list before and after its start time was read means that process.
std::vector<Member> Tree::members_of_cgroup() const {
  std::vector<Member> found;
  for (const int pid : cgroup_.pids()) {
    const std::optional<Member> member = read_member(pid);
    if (member && !member->gone()) found.push_back(*member);
  }
  const std::vector<int> still = cgroup_.pids();
  std::erase_if(found, [&](const Member& member) {
    return std::ranges::find(still, member.pid) == still.end();
  });
  return found;
}

std::vector<Member> Tree::members_by_search() const {
  std::vector<Member> found, others;
  std::unordered_set<int> pids{leader_};
  const int us = ::getpid();
  for (const Member& member : all_members()) {
    if (member.pid == us) continue;
    const bool ours =
        member.pid == leader_ || member.session == leader_ || has_variable(member.pid, mark_);
    if (ours) pids.insert(member.pid);
    (ours ? found : others).push_back(member);
  }
  for (bool more = true; more;) {  // children of members, and theirs
    more = false;
    std::erase_if(others, [&](const Member& member) {
      if (!pids.contains(member.parent)) return false;
      pids.insert(member.pid);
      found.push_back(member);
      return more = true;
    });
  }
  return found;
}

void Tree::signal(int number) {
  // The group at once, so that a shell has no time to notice the death of a child.
  ::kill(-leader_, number);
  for (const Member& member : members()) {
    if (member.group == leader_) continue;
    if (process::signal(member, number) == EPERM) beyond_us_.push_back(member);
  }
}

void Tree::kill() {
  if (cgroup_ && cgroup_.kill()) return;
  signal(SIGKILL);
}

bool Tree::empty() {
  if (cgroup_ && cgroup_.empty()) return true;
  for (const Member& member : members()) {
    if (process::signal(member, 0) == EPERM) {
      beyond_us_.push_back(member);
    } else {
      return false;
    }
  }
  // A cgroup below ours may hold what our own list does not show.
  return !cgroup_ || !beyond_us_.empty() || cgroup_.empty();
}

}  // namespace helve::process
