// tool/jobs.h
//
// Calls that outlived their wait: what runs, what it has said so far, and how it ended. A job has
// one log, its progress and then its answer, that is read by byte cursors. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "tool/tool.h"

namespace helve::tool {

// Text that only grows; its beginning goes when there is too much (1 MiB). Cursors are byte
// offsets into all that was ever added.
class JobLog {
 public:
  void add(std::string_view text);  // made valid UTF-8

  struct Page {
    std::string_view text;  // valid until add()
    std::uint64_t skipped;  // bytes between the cursor and the text that are gone
    std::uint64_t next;     // the cursor behind it
  };
  // From `cursor` on, at most `budget` characters as JSON encodes them (R4).
  Page read(std::uint64_t cursor, size_t budget) const;
  std::uint64_t end() const { return dropped_ + kept_.size(); }

 private:
  std::string kept_;
  std::uint64_t dropped_ = 0;
};

// What is told of a job beside its log: one line for the model, without its end, and the same for
// programs, with "state" among it.
struct JobStatus {
  std::string line;
  JsonObject facts;
};

struct Job {
  std::string id;  // job_...
  std::string tool;
  std::string title;  // what it runs, in few words: the beginning of a command; or ""
  Clock::time_point started = Clock::now();
  std::shared_ptr<Cancellation> cancellation;
  JobLog log;
  std::uint64_t read = 0;  // how far this session has read, where it remembers
  // What it is like now, of a tool that knows more than that it runs or how it answered; or empty.
  std::function<JobStatus(const Job&)> status;

  // How it ended; its text is in the log.
  std::optional<Answer> answer;
  Duration took{0};
  bool ended() const { return answer.has_value(); }

  void end(Answer how);                          // once
  void when_ended(std::function<void()> react);  // once, or at once

 private:
  std::vector<std::function<void()>> waiting_;
};

class Jobs {
 public:
  size_t most = 64;  // that run at a time; as many ended ones are kept

  size_t running() const;
  bool full() const { return running() >= most; }
  void add(std::shared_ptr<Job> job);
  std::shared_ptr<Job> find(std::string_view id) const;                  // null if there is none
  const std::vector<std::shared_ptr<Job>>& all() const { return all_; }  // oldest first

 private:
  std::vector<std::shared_ptr<Job>> all_;
};

}  // namespace helve::tool
