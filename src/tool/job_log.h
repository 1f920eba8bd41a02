// tool/job_log.h
//
// What a job has said: text that only grows and is read by byte cursors, however much there is. Its
// head and its tail stay in memory. With a disk part (tool/job_store.h) the rest goes to files of
// bounded size, written and read on the pool; without one it is gone. Bytes that are gone are
// counted for whoever's cursor lies there. Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tool/answer_size.h"
#include "tool/waiters.h"

namespace helve::tool {

class DiskLog;

// How much one page may hold, as it is and as JSON encodes it (R4).
struct PageSize {
  size_t bytes = 30'000;
  size_t encoded = kTextBudget;
};

class JobLog {
 public:
  static constexpr size_t kHead = size_t{64} * 1024;
  static constexpr size_t kTail = size_t{192} * 1024;

  JobLog();
  ~JobLog();
  JobLog(const JobLog&) = delete;
  JobLog& operator=(const JobLog&) = delete;

  void add(std::string_view text);           // made valid UTF-8
  void add_rendered(std::string_view text);  // valid UTF-8 already: costs no more than copying

  struct Page {
    std::string text;
    std::uint64_t skipped = 0;  // bytes between the cursor and the text that are gone
    std::uint64_t from = 0;     // where the text begins
    std::uint64_t next = 0;     // the cursor behind it
  };
  // From `cursor` on. A page that leaves something behind it ends with a whole line if it has one,
  // else with a whole character (WS-36). The log must outlive it.
  boost::asio::awaitable<Page> fetch(std::uint64_t cursor, PageSize size = {});
  // The same of what is in memory, at most `budget` encoded characters.
  Page read(std::uint64_t cursor, size_t budget) const;

  std::uint64_t end() const { return end_; }  // all that was ever added, in bytes
  std::uint64_t dropped() const;              // of these, those that are gone (WS-34)
  std::string last_line() const;              // that is not empty, at most 200 bytes of it
  void on_growth(const Wake& wake) { growth_.add(wake); }

  // The disk is slower than what comes: whoever can had better wait for room.
  bool is_behind() const;
  void on_room(const Wake& wake);

  // Where what does not fit into memory goes; while nothing of it is gone.
  void spill_to(std::shared_ptr<DiskLog> disk);
  // From now on all of it goes there, so that it outlives this process.
  void keep();
  // Reads what another process has kept.
  void open(std::shared_ptr<DiskLog> disk);
  bool is_whole() const { return end_ == head_.size() + tail_.size(); }  // in memory
  const std::shared_ptr<DiskLog>& disk() const { return disk_; }

 private:
  struct Piece {
    std::uint64_t start;
    std::string_view bytes;
  };
  std::vector<Piece> in_memory() const;
  std::string gather(std::uint64_t from, size_t most) const;
  std::uint64_t next_kept(std::uint64_t cursor, bool with_disk) const;
  Page page(std::uint64_t cursor, std::uint64_t from, std::string_view raw, PageSize size) const;
  void remember(std::string_view text);

  std::string head_, tail_;
  bool head_full_ = false;
  std::uint64_t end_ = 0;
  std::shared_ptr<DiskLog> disk_;
  bool writes_ = false;
  Waiters growth_;
};

}  // namespace helve::tool
