// process/detail/running.h
//
// One command from its start to its end, driven by the loop: reads its streams, feeds its input,
// watches its pidfd and its time. Kept alive by its own handlers until the leader is reaped, so it
// may outlive the Process that people hold. Loop thread only.
#pragma once

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>

#include "os/watch.h"
#include "process/detail/launch.h"
#include "process/detail/sink.h"
#include "process/detail/tree.h"
#include "process/process.h"

namespace helve::process {

// `now` plus a duration that may be absurd.
inline Clock::time_point later(Clock::time_point now, Duration duration) {
  constexpr Duration kLongest = std::chrono::hours(24 * 365 * 100);  // still fits
  return now + std::clamp(duration, Duration(0), kLongest);
}

class Running : public std::enable_shared_from_this<Running> {
 public:
  Running(os::Loop& loop, Spawn spawn, Fence fence);
  ~Running();

  Failure start();  // may be called again after a failure
  void stop(Duration grace, Ended::How how);
  void hold(bool hold);
  void abandon();  // nobody waits any more: end it at once
  boost::asio::awaitable<Ended> wait();
  boost::asio::awaitable<Left> left();
  int pid() const { return pid_; }
  const std::string& mark() const { return tree_.mark(); }
  std::string_view containment() const { return containment_; }
  policy::Confine confined() const { return fence_.level; }
  std::size_t processes() { return finished_ ? 0 : tree_.count(); }
  std::vector<Remaining> remaining() const;
  const policy::Command& command() const { return spawn_.allowed.command(); }

 private:
  struct Channel {
    Channel(os::Loop& loop, Capture capture) : watch(loop), sink(std::move(capture)) {}
    os::Watch watch;
    Sink sink;
    Sink::Listener listener;
    bool waits = false;  // there is something to read, but it is held
  };
  using Timer = boost::asio::basic_waitable_timer<Clock, boost::asio::wait_traits<Clock>,
                                                  boost::asio::io_context::executor_type>;

  Failure watch_all(Launched launched);
  void set_listeners();
  void pump(Channel& channel);
  Sink::Left pull(Channel& channel);
  void feed();
  void watch_leader();
  void leader_left();
  void note_status();
  void all_closed();
  void drain();
  void wait_for_quiet();
  void settle();
  void settle_later();
  void linger_on(const Member& survivor);
  void look();
  void tell_left(std::size_t processes);
  void arm_timeout();
  void end_drain();
  void check_tree();
  bool has_closed(Clock::time_point now);
  void wait_for_tree(Clock::time_point now);
  bool all_read() const { return !out_.watch.is_open() && !err_.watch.is_open(); }
  void finish();
  void reap();
  // Until it is told, by a cancelled timer, that it is so. Throws where the caller is cancelled.
  static boost::asio::awaitable<void> wait_for(Timer& told, const bool& so);

  os::Loop& loop_;
  Spawn spawn_;
  Fence fence_;
  Channel out_, err_;
  os::Watch in_, leader_, survivor_;
  Timer timeout_, step_, done_, gone_;
  Tree tree_;
  int pid_ = -1, watched_ = -1, empty_looks_ = 0;
  std::string_view containment_;
  size_t fed_ = 0;
  bool held_ = false, leader_gone_ = false, stopping_ = false, abandoned_ = false,
       finished_ = false;
  bool told_left_ = false;  // left_ is complete
  Clock::time_point began_, kill_at_, empty_since_, heard_, drained_by_;
  Duration pause_{0};
  Ended ended_;
  Left left_;
};

}  // namespace helve::process
