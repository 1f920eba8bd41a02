// tool/job_store.h
//
// The folder where jobs are written down (WS-34, WS-61): their logs, as far as memory does not hold
// them, and one record each, so that no job is forgotten when its daemon dies. Several daemons may
// share the folder. Writing is done on the pool, in order. Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/refusal.h"
#include "os/loop.h"
#include "tool/detail/log_files.h"
#include "tool/jobs.h"

namespace helve::tool {

struct DiskQuota;
struct JobRecord;

class JobStore : public std::enable_shared_from_this<JobStore> {
 public:
  struct Limits {
    LogLimits log;
    std::uint64_t session_bytes = 512ULL << 20;  // of logs
    std::uint64_t ended_bytes = 2ULL << 30;      // of logs of jobs that have ended, of all daemons
  };
  // Lives in a shared_ptr. `folder` (STATE/jobs) is made on first use.
  JobStore(os::Loop& loop, std::filesystem::path folder);
  JobStore(os::Loop& loop, std::filesystem::path folder, const Limits& limits);
  ~JobStore();

  // Before the first command runs, and once nothing of any command is left. `marks` is what the
  // marks of all of them begin with (process::own_marks()): of a daemon that is killed, the next
  // one ends by it what no record tells of (WS-61). Blocking, for one small file.
  void note_daemon(const std::string& marks);
  void forget_daemon();

  // Once, at the start: the marks of the jobs that daemons which are gone have left without an end,
  // and what all marks of such a daemon begin with (process::end_leftovers). Removes what is too
  // old.
  boost::asio::awaitable<std::vector<std::string>> lost();

  std::shared_ptr<DiskQuota> new_quota() const;
  // The disk part of a log that has nothing yet.
  std::shared_ptr<DiskLog> new_log(const std::string& id, std::shared_ptr<DiskQuota> quota);

  // What the job is like now: that it runs, or how it ended.
  void record(const Job& job, const std::string& session, const std::string& principal);
  // Its log goes; that it was there is known for a day.
  void forget(const Job& job, const std::string& session, const std::string& principal);

  // Until what was recorded by now is on the disk, or it is `latest`.
  boost::asio::awaitable<void> settle(Clock::time_point latest);

  // A job of a daemon that is gone, as it ended or lost, to be read; with `principal` only one of
  // its own. Refused: job.unknown {job}, also for those of daemons that live and of others;
  // job.expired {job, status, ended, spill}.
  boost::asio::awaitable<Result<std::shared_ptr<Job>>> recall(std::string id,
                                                              std::optional<std::string> principal);
  boost::asio::awaitable<bool> has(JobSpill spill);

 private:
  void write(const Job& job, const std::string& session, const std::string& principal, bool kept);
  void later(std::function<void()> work);  // on the pool
  boost::asio::awaitable<void> work();

  os::Loop& loop_;
  const std::filesystem::path folder_;
  const Limits limits_;
  std::deque<std::function<void()>> work_;
  bool at_work_ = false;
  std::uint64_t queued_ = 0, done_ = 0;  // pieces of work, ever
  Waiters progress_;
  Clock::time_point tidied_ = Clock::now();
};

}  // namespace helve::tool
