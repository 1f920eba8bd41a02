// tool/jobs.h
//
// Calls that outlived their wait: what runs, what it has said so far, and how it ended. The log is
// tool/job_log.h, what is written down of a job tool/job_store.h. Loop thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "tool/job_log.h"
#include "tool/tool.h"

namespace helve::tool {

class JobStore;
struct DiskQuota;

// What is told of a job beside its log: one line for the model, without its end, and the same for
// programs, with "state" among it.
struct JobStatus {
  std::string line;
  JsonObject facts;
};

// One of a job's processes that does not die of KILL, for people.
struct HeldProcess {
  int pid = 0;
  std::string name;
};

// A file with what an answer about a job had to leave out.
struct JobSpill {
  std::string path;            // as `read` opens it; "": there is none
  std::filesystem::path file;  // where it lies
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
  // Of its processes, for a daemon that comes after this one has died: "HELVE_JOB=..." and the
  // first one's number; "" and 0 if there is no one mark.
  std::string mark;
  int pid = 0;
  // Its processes that still run, asked once they were sent KILL; or empty.
  std::function<std::vector<HeldProcess>()> left;
  JobSpill spill;
  size_t empty_polls = 0;  // in a row

  // How it ended; its text is in the log.
  std::optional<Answer> answer;
  Duration took{0};
  std::optional<Clock::time_point> read_up;  // when it was first read to its end
  bool ended() const { return answer.has_value(); }

  void end(Answer how);                          // once; its text goes into the log
  void when_ended(std::function<void()> react);  // once, or at once
  // Its status reads differently now: who waits for it hears of that.
  void changed() { news_.wake_all(); }
  // New output, another status, its end.
  void on_news(const Wake& wake);

 private:
  std::vector<std::function<void()>> waiting_;
  Waiters news_;
};

// "running", "done", "failed" or "stopped", or what its tool says.
std::string state_of(const Job& job);

// "job_... deploy: running for 12 s", or the line that its tool has.
std::string job_line(const Job& job);

// What the tools are called that follow jobs (decisions, section 6).
struct JobNames {
  std::string output = "job_output", stop = "job_stop";
};
inline JobNames bash_job_names() { return {"bash_output", "bash_stop"}; }

// The jobs of one session.
class Jobs {
 public:
  size_t most = 64;                               // that run at a time; as many ended ones are kept
  Duration stop_grace = std::chrono::seconds(2);  // from TERM to KILL of a stop (WS-52)

  // Where they are written down; before the first one. Without it they are in memory alone. A
  // principal that is the session itself is whoever may read the store anyway, such as the person
  // at this machine over stdio: that one also gets what others have left.
  void keep_in(std::shared_ptr<JobStore> store, std::string session, std::string principal);

  size_t running() const;
  bool full() const { return running() >= most; }
  // job.too_many {limit, jobs, output, stop}, with those that run.
  Refusal too_many(const JobNames& names) const;

  // Before it runs: what of its log does not fit into memory goes to the disk.
  void prepare(Job& job) const;
  // Somebody is told of it: from now on it is found, and written down.
  void add(std::shared_ptr<Job> job);
  // Something of it that is written down has changed.
  void update(const Job& job);
  // Until what there is of it by now is on the disk, so that whoever is told of it finds it again
  // whatever happens (WS-61); no longer than 5 s, should the disk not answer.
  boost::asio::awaitable<void> settle(std::shared_ptr<Job> job);

  // Those that are not kept any more go first (WS-59).
  std::shared_ptr<Job> find(std::string_view id);  // null if there is none
  // Also what was there, and what a daemon that died has left of this principal. Refused:
  // job.unknown {job}, job.expired {job, status, ended, spill}.
  boost::asio::awaitable<Result<std::shared_ptr<Job>>> reach(std::string id);
  const std::vector<std::shared_ptr<Job>>& all() const { return all_; }  // oldest first

  void forget_old(Clock::time_point now);

 private:
  // One that is not kept any more.
  struct Gone {
    std::string id, line;
    Clock::time_point at;
    WallClock::time_point ended;
    JobSpill spill;
  };
  boost::asio::awaitable<Refusal> expired(Gone gone) const;
  void forget(std::vector<std::shared_ptr<Job>>::iterator job, Clock::time_point now);

  std::vector<std::shared_ptr<Job>> all_;
  std::deque<Gone> gone_;
  std::shared_ptr<JobStore> store_;
  std::shared_ptr<DiskQuota> quota_;
  std::string session_, principal_;
};

}  // namespace helve::tool
