// How a Running is brought to its end before its time: TERM, the grace, KILL, and looking again
// until nothing is left.
#include <algorithm>
#include <csignal>

#include "process/detail/children.h"
#include "process/detail/running.h"

namespace helve::process {
namespace {

using std::chrono::milliseconds;

constexpr Duration kFirstLook = milliseconds(2);
constexpr Duration kRarestLook = milliseconds(100);
constexpr Duration kClosing = milliseconds(500);
// After KILL only the kernel can hold a process (a dead disk or server); we do not wait for ever.
constexpr Duration kPatience = std::chrono::seconds(10);

}  // namespace

void Running::stop(Duration grace, Ended::How how) {
  if (finished_) return;
  const Clock::time_point now = Clock::now();
  const Clock::time_point kill_at =
      now + std::clamp(grace, Duration(0), Duration(std::chrono::hours(24)));
  if (stopping_) {
    kill_at_ = std::min(kill_at_, kill_at);
  } else {
    stopping_ = true;
    ended_.how = how;
    kill_at_ = kill_at;
    timeout_.cancel();
    if (kill_at_ > now) {
      tree_.signal(SIGTERM);
      tree_.signal(SIGCONT);  // what is stopped cannot take its TERM
    }
  }
  pause_ = kFirstLook;
  wait_for_tree(now);
}

void Running::abandon() {
  abandoned_ = true;
  stop(Duration(0), Ended::How::kStopped);
  if (!finished_) tree_.kill();
}

void Running::wait_for_tree(Clock::time_point now) {
  Clock::time_point next = now + pause_;
  if (!ended_.killed) next = std::min(next, kill_at_);
  step_.expires_at(next);
  step_.async_wait([self = shared_from_this()](boost::system::error_code error) {
    if (!error && !self->finished_) self->check_tree();
  });
}

// A process on its way out loses its variables, and so the mark by which it is found, before it
// lets go of its pipes: what is found no more gets a moment to close them.
bool Running::has_closed(Clock::time_point now) {
  pull(out_);
  pull(err_);
  if (empty_since_ == Clock::time_point()) empty_since_ = now;
  return abandoned_ || all_read() || now - empty_since_ > kClosing;
}

std::vector<Remaining> Running::remaining() const {
  std::vector<Remaining> remaining;
  if (finished_) return remaining;
  for (const Member& member : tree_.shown()) {
    remaining.push_back({.pid = member.pid, .name = name_of(member.pid)});
  }
  return remaining;
}

void Running::check_tree() {
  Children::all().reap_orphans();
  const Clock::time_point now = Clock::now();
  if (leader_gone_ && tree_.empty() && has_closed(now)) return finish();
  if (now >= kill_at_) {
    if (!ended_.killed) pause_ = kFirstLook;
    ended_.killed = true;
    tree_.kill();
    if (now >= kill_at_ + kPatience) {
      ended_.lingered = true;
      ended_.held = remaining();
      return finish();
    }
  }
  wait_for_tree(now);
  pause_ = std::min(pause_ * 2, kRarestLook);
}

}  // namespace helve::process
