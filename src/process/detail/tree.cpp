#include "process/detail/tree.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <unordered_set>

#include "process/detail/children.h"

namespace helve::process {
namespace {

// A process in the middle of an exec, or on its way out, shows no variables for a moment.
constexpr int kUnsureLooks = 5;
constexpr int kRounds = 32, kChases = 400, kTurns = 50;

bool same(const Member& a, const Member& b) { return a.pid == b.pid && a.started == b.started; }

}  // namespace

std::vector<Member> Tree::members() const {
  std::vector<Member> found = cgroup_ ? members_of_cgroup() : members_by_search();
  if (cgroup_) add_runaways(found);
  std::erase_if(found, [&](const Member& member) { return is_beyond_us(member); });
  return found;
}

bool Tree::is_beyond_us(const Member& member) const {
  return std::ranges::any_of(beyond_us_, [&](const Member& m) { return same(m, member); });
}

bool Tree::owns(const Member& member) const {
  return member.session == leader_ || has_variable(member.pid, mark_);
}

std::string_view Tree::containment() const {
  if (namespaced_) return "namespace";
  if (cgroup_) return "cgroup";
  return Children::all().subreaper() ? "subreaper" : "group";
}

std::vector<Member> Tree::shown() const {
  std::vector<Member> found = members();
  if (!namespaced_) return found;
  std::erase_if(found, [](const Member& member) {
    const std::vector<int> numbers = numbers_of(member.pid);
    return numbers.size() <= 1 || numbers.back() == 1;
  });
  return found;
}

// Without a cgroup: what the leader left behind is a child of ours by now, or below one. One that
// dies while we look may have left a successor, so that we look again; the list itself is read in
// one piece.
Tree::Survivor Tree::orphan() {
  std::unordered_set<int> dead;
  Survivor found;
  for (int turn = 0; turn < kTurns; ++turn) {
    Children::all().reap_orphans();
    bool again = false;
    found.unsure = false;
    for (const int pid : Children::all().orphans().value_or(std::vector<int>())) {
      const std::optional<Member> member = read_member(pid);
      if (!member || member->gone()) {
        again = dead.insert(pid).second || again;
      } else if (!is_beyond_us(*member)) {
        if (owns(*member)) return {member, false};
        found.unsure = found.unsure || !shows_variables(pid);
      }
    }
    if (!again) break;
  }
  found.unsure = found.unsure && unsure_++ < kUnsureLooks;
  return found;
}

Tree::Survivor Tree::survivor() {
  if (cgroup_ && cgroup_.empty()) return {orphan().member, false};
  if (!cgroup_ && Children::all().orphans()) return orphan();
  for (const Member& member : members()) {
    if (member.pid != leader_) return {member, false};
  }
  return {};
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

// Whoever may write to another cgroup's list of processes leaves ours by it.
void Tree::add_runaways(std::vector<Member>& found) const {
  for (const int pid : Children::all().orphans().value_or(std::vector<int>())) {
    const std::optional<Member> member = read_member(pid);
    if (!member || member->gone() || !owns(*member)) continue;
    if (std::ranges::none_of(found, [&](const Member& m) { return same(m, *member); })) {
      found.push_back(*member);
    }
  }
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

// What forks faster than we can look must not be outrun: first nothing moves, then it goes.
void Tree::stop_all() {
  std::vector<Member> stopped;
  for (int round = 0; round < kRounds; ++round) {
    bool fresh = false;
    for (const Member& member : members()) {
      if (std::ranges::any_of(stopped, [&](const Member& m) { return same(m, member); })) continue;
      fresh = true;
      const int error = process::signal(member, SIGSTOP);
      if (error == EPERM) beyond_us_.push_back(member);
      if (error == 0) stopped.push_back(member);
    }
    if (!fresh) return;
  }
}

// One that forks and leaves faster than all of /proc can be read is caught where it comes by: each
// generation becomes a child of ours.
void Tree::chase() {
  for (int turn = 0; turn < kChases; ++turn) {
    const Survivor found = orphan();
    if (found.member) {
      process::signal(*found.member, SIGKILL);
    } else if (!found.unsure) {
      return;
    }
  }
}

void Tree::kill() {
  if (cgroup_ && cgroup_.kill()) return chase();
  ::kill(-leader_, SIGKILL);
  stop_all();
  signal(SIGKILL);
  chase();
}

bool Tree::empty() {
  if (cgroup_ && cgroup_.empty()) return !orphan().member;
  for (const Member& member : members()) {
    if (process::signal(member, 0) == EPERM) {
      beyond_us_.push_back(member);
    } else {
      return false;
    }
  }
  if (!cgroup_) {
    const Survivor left = orphan();  // a search through /proc misses what moves fast
    return !left.member && !left.unsure;
  }
  // A cgroup below ours may hold what our own list does not show.
  return !beyond_us_.empty() || cgroup_.empty();
}

}  // namespace helve::process
