// From the leader's exit to the end of its tree: draining, WS-41's quiet, and what lingers.
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "process/detail/children.h"
#include "process/detail/running.h"

namespace helve::process {
namespace {

using boost::system::error_code;
using std::chrono::milliseconds;

constexpr Duration kFirstLook = milliseconds(2);
constexpr Duration kRarestLook = std::chrono::seconds(1);
constexpr int kEmptyLooks = 100;

}  // namespace

// The leader is a zombie now and stays one until finish(), so that its number remains its own.
void Running::leader_left() {
  leader_gone_ = true;
  note_status();
  ended_.duration = left_.duration = Clock::now() - began_;
  if (spawn_.quiet == Duration(0)) timeout_.cancel();  // else its tree is held to it, too
  in_.close();
  if (stopping_ || spawn_.quiet > Duration(0)) Children::all().keep(pid_);
  if (finished_) return reap();  // it took longer than we were willing to wait
  if (stopping_) return check_tree();
  pull(out_);
  pull(err_);
  if (stopping_) return;  // a listener has asked for it
  if (all_read()) return all_closed();
  drain();
}

void Running::note_status() {
  siginfo_t info{};
  const auto id = static_cast<id_t>(leader_.get());
  if (::waitid(P_PIDFD, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return;
  const bool exited = info.si_code == CLD_EXITED;
  left_.how = exited ? Ended::How::kExited : Ended::How::kSignaled;
  (exited ? left_.code : left_.signal) = info.si_status;
}

void Running::all_closed() {
  if (spawn_.quiet == Duration(0)) return finish();
  if (!told_left_) return settle();
  look();
}

void Running::drain() {
  if (spawn_.quiet > Duration(0)) {
    heard_ = Clock::now();
    drained_by_ = later(heard_, spawn_.drain);
    return wait_for_quiet();
  }
  step_.expires_at(later(Clock::now(), spawn_.drain));
  step_.async_wait([self = shared_from_this()](error_code error) {
    if (!error && !self->finished_ && !self->stopping_) self->end_drain();
  });
}

// CT-74: something in the background holds the pipes.
void Running::end_drain() {
  pull(out_);
  pull(err_);
  ended_.lingered = !all_read();
  if (!stopping_) finish();
}

void Running::wait_for_quiet() {
  step_.expires_at(std::min(later(heard_, spawn_.quiet), drained_by_));
  step_.async_wait([self = shared_from_this()](error_code error) {
    if (error || self->finished_ || self->stopping_ || self->told_left_) return;
    self->pull(self->out_);
    self->pull(self->err_);
    if (self->stopping_) return;
    const Clock::time_point now = Clock::now();
    const bool quiet = now >= later(self->heard_, self->spawn_.quiet);
    if (!quiet && now < self->drained_by_ && !self->all_read()) return self->wait_for_quiet();
    self->settle();
  });
}

// The output that belongs to the answer is there. Whether the tree lives on decides what follows.
void Running::settle() {
  Children::all().reap_orphans();
  const auto [survivor, unsure] = tree_.survivor();
  if (unsure) return settle_later();
  if (!survivor) return finish();
  const std::size_t processes = tree_.count();
  // Only bubblewrap's own is there, which leaves a moment after its leader.
  const bool leaves = processes == 0 && tree_.namespaced();
  if (leaves && ++empty_looks_ < kEmptyLooks) return settle_later();
  pause_ = kFirstLook;
  tell_left(processes);
  linger_on(*survivor);
}

void Running::settle_later() {
  step_.expires_at(Clock::now() + kFirstLook);
  step_.async_wait([self = shared_from_this()](error_code error) {
    if (!error && !self->finished_ && !self->stopping_ && !self->told_left_) self->settle();
  });
}

void Running::tell_left(std::size_t processes) {
  told_left_ = true;
  left_.processes = processes;
  left_.out_of_memory = tree_.out_of_memory();
  if (stopping_) {
    left_.how = ended_.how;
    left_.duration = ended_.duration;
  }
  gone_.cancel();
}

// Wakes when that process ends. The timer is for what is missed so: zombies that came to us, and
// a descriptor that could not be had.
void Running::linger_on(const Member& survivor) {
  if (watched_ != survivor.pid || !survivor_.is_open()) {
    survivor_.close();
    watched_ = survivor.pid;
    os::UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, survivor.pid, 0)));
    if (fd && survivor_.open(std::move(fd)) == 0) {
      survivor_.readable([self = shared_from_this()](error_code error) {
        if (error || self->finished_ || self->stopping_) return;
        self->survivor_.close();
        self->pause_ = kFirstLook;
        self->look();
      });
    }
  }
  step_.expires_at(Clock::now() + pause_);
  step_.async_wait([self = shared_from_this()](error_code error) {
    if (!error && !self->finished_ && !self->stopping_) self->look();
  });
  pause_ = std::min(pause_ * 2, kRarestLook);
}

void Running::look() {
  if (finished_ || stopping_) return;
  Children::all().reap_orphans();
  const auto [survivor, unsure] = tree_.survivor();
  if (survivor) {
    empty_since_ = {};
    return linger_on(*survivor);
  }
  if (!unsure && has_closed(Clock::now())) return finish();
  if (stopping_) return;
  step_.expires_at(Clock::now() + kFirstLook);
  step_.async_wait([self = shared_from_this()](error_code error) {
    if (!error && !self->finished_ && !self->stopping_) self->look();
  });
}

boost::asio::awaitable<Left> Running::left() {
  const auto self = shared_from_this();
  co_await wait_for(gone_, told_left_);
  co_return left_;
}

}  // namespace helve::process
