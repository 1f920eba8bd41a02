// tool/detail/job_record.h
//
// What is written down of each job, as FOLDER/ID.json, so that a daemon that comes later knows of
// it: what ran, for whom, under which mark, and by which daemon. A record whose daemon is gone and
// that has no end is of a lost job. Blocking; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/refusal.h"
#include "base/time.h"

namespace helve::tool {

// A process that no other one is mistaken for: numbers are used again.
struct ProcessName {
  std::string boot;  // the kernel's boot id
  std::int64_t pid = 0;
  std::int64_t start = 0;  // in clock ticks after the boot

  static ProcessName of(std::int64_t pid);
  static const ProcessName& self();
  bool lives() const;
};

struct JobRecord {
  std::string id, tool, title, session, principal, mark;
  ProcessName daemon;
  std::int64_t pid = 0, pid_start = 0;  // of its first process; 0: none known
  std::int64_t started_ms = 0;          // wall clock
  // Its end, for those that have one.
  std::int64_t ended_ms = 0;
  std::string state, line;
  JsonObject facts;
  bool kept = true;               // its log
  std::string spill, spill_file;  // of an answer about it, as JobSpill has them

  bool ended() const { return ended_ms != 0; }
  // Ended for so long that its log is no longer kept (WS-59).
  bool expired(std::int64_t now_ms) const;
};

constexpr std::int64_t kKeptMs = 24LL * 60 * 60 * 1000;

std::int64_t now_ms();
bool is_job_id(std::string_view id);

// As a whole or not at all, mode 0600. No fsync: what a failing machine loses is of processes that
// are lost, too.
void write_whole(const std::filesystem::path& folder, const std::string& name,
                 std::string_view bytes);

void write_record(const std::filesystem::path& folder, const JobRecord& record);
Result<JobRecord> read_record(const std::filesystem::path& folder, std::string_view id);

// Writes down that its daemon died over it.
void lose_record(const std::filesystem::path& folder, JobRecord& record);

// Goes through the folder: finds what gone daemons have left and marks it as lost, and removes what
// is too old, or too much together (`most_bytes`). Gives the marks of the lost ones.
std::vector<std::string> tidy_records(const std::filesystem::path& folder,
                                      std::uint64_t most_bytes);

}  // namespace helve::tool
