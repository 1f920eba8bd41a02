// workspace/detail/shell_job.h
//
// One command of `bash`, from its start until nothing of it runs any more: its processes, its
// output as text in its job's log, its limits. Its own coroutine keeps it. Loop thread only.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>

#include "process/process.h"
#include "tool/jobs.h"
#include "tool/session.h"
#include "workspace/output.h"
#include "workspace/shell_state.h"
#include "workspace/workspace.h"

namespace helve::workspace {

struct ShellRequest {
  std::string command;
  process::Input input;
  Duration kill_after{0};  // zero: none
  policy::Permit permit;
  Environment::Pin environment;  // null: none
  process::File folder;          // the workspace
};

class ShellJob : public std::enable_shared_from_this<ShellJob> {
 public:
  // Refused: bash.command_too_large, bash.shell_missing, bash.cwd_missing, confine.unavailable, and
  // what process::Process::start refuses.
  static boost::asio::awaitable<Result<std::shared_ptr<ShellJob>>> start(
      std::shared_ptr<Workspace> workspace, std::shared_ptr<tool::Session> session,
      ShellRequest request);

  // Until the shell has ended and its output was drained (WS-40, WS-41), or this time is over.
  boost::asio::awaitable<void> wait(Clock::time_point latest);
  bool shell_ended() const { return shell_.has_value(); }
  bool ended() const { return ended_; }

  // What can be shown, also the line that is not finished, if there is nothing else (WS-36).
  void show_something();
  // It outlives its call: from here on it has a limit on its life (WS-39).
  void outlive_call();

  ShellState state() const;
  const std::shared_ptr<tool::Job>& job() const { return job_; }
  std::uint64_t lines() const { return lines_; }  // in the log

 private:
  ShellJob(std::shared_ptr<Workspace> workspace, std::shared_ptr<tool::Session> session,
           ShellRequest request);
  process::Spawn spawn(policy::Allowed allowed, process::File script);
  policy::Command command(std::vector<std::string> argv) const;
  void take(std::string_view bytes);
  void add(std::string text);
  void wait_for_log();
  void read_on();
  void watch_quiet();
  void limit_life(Duration after);
  void end(const char* reason, Duration grace);
  void hook_up();
  boost::asio::awaitable<void> drive();
  std::vector<tool::HeldProcess> left() const;
  void tell();

  using Timer = boost::asio::steady_timer;

  std::shared_ptr<Workspace> workspace_;
  std::shared_ptr<tool::Session> session_;
  ShellRequest request_;
  std::shared_ptr<tool::Job> job_;
  std::unique_ptr<process::Process> process_;
  Output output_;
  Timer quiet_, life_;
  Timer patience_;  // with a disk that does not keep up
  tool::Wake room_;
  bool quiet_armed_ = false, gave_up_ = false;
  Clock::time_point began_ = Clock::now(), last_bytes_;
  Duration took_{0};
  std::optional<process::Left> shell_;
  bool ended_ = false;
  std::string reason_;
  std::uint64_t limit_ = 0, lines_ = 0;
  int stop_signal_ = 0;
  std::vector<process::Remaining> held_;
  std::string containment_, confined_;
  std::function<void()> waiter_;
};

}  // namespace helve::workspace
