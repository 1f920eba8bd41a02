// tool/detail/log_files.h
//
// The files of one job's log: FOLDER/ID.log with its first bytes and FOLDER/ID.ring with its last
// ones, each of bounded size, mode 0600. The ring begins with a line that says which bytes it has,
// so that another process can read it after this one has died. Blocking; any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

#include "os/fd.h"

namespace helve::tool {

struct LogLimits {
  std::uint64_t head = 8ULL << 20, ring = 56ULL << 20;
  // Nothing is written where the file system has less than this, or than so many hundredths, free.
  std::uint64_t free_bytes = 1ULL << 30;
  unsigned free_percent = 2;
};

// What is there: [0, head) and [start, end).
struct LogRanges {
  std::uint64_t head = 0, start = 0, end = 0;
  bool has(std::uint64_t at) const { return at < head || (start <= at && at < end); }
  std::uint64_t last() const { return end > head ? end : head; }
};

class LogFiles {
 public:
  LogFiles(std::filesystem::path folder, const std::string& id, const LogLimits& limits);
  ~LogFiles();
  LogFiles(const LogFiles&) = delete;
  LogFiles& operator=(const LogFiles&) = delete;

  // Reads what is there already.
  LogRanges open();

  struct Written {
    LogRanges ranges;
    bool ok = true;  // false: no room, or an error of the system; nothing is written any more
  };
  // Bytes that stand at `at` of the log. A gap before them: the ring begins anew.
  Written write(std::uint64_t at, std::string_view bytes);

  // At most so many bytes from there on; "" if they are not there.
  std::string read(std::uint64_t from, size_t most);

  void remove();
  void go_when_closed() { goes_ = true; }  // with this object

 private:
  bool has_room() const;
  bool open_both(int flags);
  bool write_ring(std::uint64_t at, std::string_view bytes);
  bool write_line() const;
  size_t read_some(std::uint64_t from, char* into, size_t most) const;

  const std::filesystem::path folder_, head_file_, ring_file_;
  const LogLimits limits_;
  std::mutex mutex_;
  os::UniqueFd head_, ring_;
  LogRanges ranges_;
  bool broken_ = false;
  std::atomic<bool> goes_ = false;
};

}  // namespace helve::tool
