#include "process/leftovers.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <unordered_set>
#include <vector>

#include "base/time.h"
#include "process/detail/children.h"
#include "process/detail/environment.h"
#include "process/detail/procfs.h"

namespace helve::process {
namespace {

using std::chrono::milliseconds;

constexpr Duration kGrace = milliseconds(500);
constexpr Duration kPatience = std::chrono::seconds(5);  // for what is held by the kernel
constexpr useconds_t kPause = 5000;
constexpr int kTurns = 100;  // each generation becomes ours once its parent is gone

constexpr std::string_view kName = "HELVE_JOB=";
constexpr std::size_t kLeastRandom = 16;  // what is shorter could be somebody's by chance

using Marks = std::vector<std::string>;

// As they stand between the NULs of all variables: whole, or the beginning of many.
Marks needles_of(std::span<const std::string> marks) {
  Marks needles;
  for (const std::string& mark : marks) {
    if (!mark.starts_with(kName) || mark.size() < kName.size() + kLeastRandom) continue;
    needles.push_back('\0' + mark);
    if (!mark.ends_with('-')) needles.back() += '\0';
  }
  return needles;
}

bool is_marked(int pid, const Marks& marks) {
  const std::string variables = variables_of(pid);
  return std::ranges::any_of(marks,
                             [&](const std::string& mark) { return variables.contains(mark); });
}

// The marked ones, their children, and theirs.
std::vector<Member> members_of(const Marks& marks) {
  std::vector<Member> found, others;
  std::unordered_set<int> pids;
  for (const Member& member : all_members()) {
    if (member.pid == ::getpid()) continue;
    const bool ours = is_marked(member.pid, marks);
    if (ours) pids.insert(member.pid);
    (ours ? found : others).push_back(member);
  }
  for (bool more = !found.empty(); more;) {
    more = std::erase_if(others, [&](const Member& member) {
             if (!pids.contains(member.parent)) return false;
             pids.insert(member.pid);
             found.push_back(member);
             return true;
           }) > 0;
  }
  return found;
}

void signal_all(const std::vector<Member>& members, int number) {
  for (const Member& member : members) process::signal(member, number);
}

}  // namespace

std::string own_marks() { return host_mark() + '-'; }

std::size_t end_leftovers(std::span<const std::string> given) {
  const Marks marks = needles_of(given);
  if (marks.empty()) return 0;
  std::vector<Member> members = members_of(marks);
  const std::size_t found = members.size();
  signal_all(members, SIGTERM);
  signal_all(members, SIGCONT);
  const Clock::time_point began = Clock::now();
  while (!members.empty() && Clock::now() - began < kPatience + kGrace) {
    ::usleep(kPause);
    members = members_of(marks);
    if (Clock::now() - began < kGrace) continue;
    signal_all(members, SIGSTOP);  // so that nothing forks away meanwhile
    signal_all(members_of(marks), SIGKILL);
  }
  return found;
}

void end_strays() {
  for (int turn = 0; turn < kTurns; ++turn) {
    Children::all().reap_orphans();
    bool any = false;
    for (const int pid : Children::all().orphans().value_or(std::vector<int>())) {
      const std::optional<Member> member = read_member(pid);
      if (member && !member->gone()) any = process::signal(*member, SIGKILL) == 0 || any;
    }
    if (!any) return;
    ::usleep(kPause);
  }
}

}  // namespace helve::process
