// tool/detail/disk_log.h
//
// The way from a growing log to its files: what comes is kept until the pool has written it, one
// write at a time. Where the disk is slower than the job, what has waited longest is given up and
// the ring begins anew. All logs of a session share a DiskQuota. Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "os/loop.h"
#include "tool/detail/log_files.h"
#include "tool/waiters.h"

namespace helve::tool {

class DiskLog;

// At most so many bytes of logs; the oldest ones whose jobs have ended make room.
struct DiskQuota {
  std::uint64_t most = 512ULL << 20;
  std::uint64_t used = 0;
  std::deque<std::weak_ptr<DiskLog>> ended;

  bool take(std::uint64_t bytes);
};

class DiskLog : public std::enable_shared_from_this<DiskLog> {
 public:
  // Beyond kBehind whoever adds had better wait; beyond kMostPending something is given up.
  static constexpr size_t kBehind = size_t{1} << 20, kMostPending = size_t{4} << 20;

  DiskLog(os::Loop& loop, std::shared_ptr<LogFiles> files, const LogLimits& limits,
          std::shared_ptr<DiskQuota> quota);
  ~DiskLog();

  // One that another process has written.
  static std::shared_ptr<DiskLog> of(os::Loop& loop, std::shared_ptr<LogFiles> files,
                                     const LogRanges& ranges);

  void add(std::uint64_t at, std::string_view text);
  bool is_behind() const { return pending_.size() > kBehind; }
  void on_room(const Wake& wake) { room_.add(wake); }

  const LogRanges& ranges() const { return ranges_; }
  struct Unwritten {
    std::uint64_t at;
    std::string_view bytes;
  };
  Unwritten writing() const { return {writing_at_, writing_}; }
  Unwritten pending() const { return {pending_at_, pending_}; }

  // Until what there is by now is in the files, or goes nowhere, or it is `latest`.
  boost::asio::awaitable<void> settle(Clock::time_point latest);

  boost::asio::awaitable<std::string> read(std::uint64_t from, size_t most);

  // A record tells of it: its files stay when it goes, which else go with it.
  void outlive() { outlives_ = true; }
  // The job has ended: the files may go for others of the session. Once.
  void give_way();
  void remove();

 private:
  void remove_files();
  boost::asio::awaitable<void> write();
  bool begin_write();
  void stop();

  os::Loop& loop_;
  const std::shared_ptr<LogFiles> files_;
  const std::uint64_t most_;
  const std::shared_ptr<DiskQuota> quota_;
  std::uint64_t taken_ = 0;
  LogRanges ranges_;
  std::string writing_, pending_;
  std::uint64_t writing_at_ = 0, pending_at_ = 0;
  Waiters room_;
  bool at_work_ = false, stopped_ = false, outlives_ = false;
};

}  // namespace helve::tool
