// tool/sessions.h
//
// All sessions of a host: opens them, ends those that nobody uses any more, and ends everything
// with the host. Loop thread only.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "base/refusal.h"
#include "tool/session.h"

namespace helve::tool {

class Sessions {
 public:
  struct Limits {
    Duration idle = std::chrono::hours(1);          // without a call
    size_t most = 4096;                             // at one time
    size_t jobs = 64;                               // of one session
    Duration stop_grace = std::chrono::seconds(2);  // of its jobs (WS-52)
  };
  Sessions();
  explicit Sessions(const Limits& limits);

  // Where there are too many, the one that was not used for longest and runs nothing ends for it.
  // Refused: session.too_many {limit}.
  Result<std::shared_ptr<Session>> open(Session::Memory memory, std::string principal = "");

  // Of those that are open, too; who has more goes on with them.
  void limit_jobs(size_t most);

  // Where the jobs of all sessions are written down; before the first session.
  void keep_jobs(std::shared_ptr<JobStore> store);

  // The open ones, and those that have ended and whose jobs still run.
  std::vector<std::shared_ptr<Session>> all() const;

  // Ends it; its detached jobs go on until they are done or the host ends.
  void close(std::shared_ptr<Session> session, Duration grace);

  // Ends what was not used for too long; call it now and then.
  void expire(Clock::time_point now);

  // The end of the host. `react` runs once no call of any session is open.
  void end(Duration grace);
  void when_idle(const std::function<void()>& react);

  size_t count() const { return open_.size(); }

 private:
  bool make_room();

  Limits limits_;
  std::shared_ptr<JobStore> store_;
  std::list<std::shared_ptr<Session>> open_;
  std::list<std::shared_ptr<Session>> closed_;  // with calls still open
};

}  // namespace helve::tool
