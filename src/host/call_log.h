// host/call_log.h
//
// One line of JSON for each call, in STATE/calls.jsonl (mode 0600); beyond 8 MiB the file becomes
// calls.1.jsonl in place of the one before. Written on the pool, in order; where the disk does not
// keep up, lines are left out and counted in the next one. At the end one line with the counters
// (WS-93). Loop thread only.
#pragma once

#include <filesystem>
#include <memory>

#include "os/loop.h"
#include "tool/call_record.h"

namespace helve::host {

class CallLog {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  CallLog(os::Loop& loop, std::filesystem::path folder, std::size_t most_bytes = kMostBytes);
  ~CallLog();  // writes what is left, and the counters if there was a call
  CallLog(const CallLog&) = delete;
  CallLog& operator=(const CallLog&) = delete;

  void add(const tool::CallRecord& record);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace helve::host
