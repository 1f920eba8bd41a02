// process/process.h
//
// Runs one command as the leader of a session of its own, and owns everything that it starts: the
// tree, the pipes, the captured output. Everything that waits is awaitable; nothing blocks the
// loop. Loop thread only. A Process that goes out of scope while running gets KILL at once and is
// reaped in the background.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/refusal.h"
#include "base/time.h"
#include "os/fd.h"
#include "os/loop.h"
#include "policy/policy.h"

namespace helve::process {

// What the child reads. Bytes in memory are fed through a pipe while the outputs are read; a file
// becomes the child's stdin itself, read from its start.
using Bytes = std::shared_ptr<const std::string>;
using File = std::shared_ptr<const os::UniqueFd>;
using Input = std::variant<std::monostate, Bytes, File>;  // monostate: /dev/null

struct Capture {
  size_t tail = 1024 * 1024;  // bytes kept in memory, the last ones
  // Where the whole stream goes once it exceeds `tail`; empty: the head of it is forgotten.
  std::filesystem::path spill;
  std::uint64_t spill_limit = 64ULL * 1024 * 1024;
};

// A process of a tree, for people.
struct Remaining {
  int pid = 0;
  std::string name;  // as the kernel shows it: one line of text, mostly 15 bytes at most
};

// One captured stream after the end.
struct Output {
  std::string tail;         // all of it if bytes == tail.size()
  std::uint64_t bytes = 0;  // written by the command in total
  File spilled;             // the spill file, open for reading; null if nothing was spilled
  std::filesystem::path file;
  bool complete =
      true;             // false: neither tail nor spill has every byte (no spill, limit, disk full)
  int spill_error = 0;  // errno of the write that failed, or 0

  bool in_memory() const { return bytes == tail.size(); }
};

enum class Stream { kOut, kErr };

struct Spawn {
  policy::Allowed allowed;
  Input input;
  Capture out, err;
  bool joined = false;  // stderr goes into stdout's pipe
  // Becomes the child's descriptor 3, read from its start; null: none. Everything above is closed.
  File script;
  // The folder that the child enters in place of the command's, whatever has that path by now;
  // null, and where bubblewrap stands in between: by its path.
  File folder;
  std::optional<unsigned> umask;
  int nice = 0;           // added to the host's own
  int oom_score_adj = 0;  // for the kernel's choice when memory runs out
  Duration timeout{0};    // zero: none; then stop(timeout_grace) with status kTimedOut
  Duration timeout_grace = std::chrono::seconds(5);
  Duration drain = std::chrono::seconds(2);  // CT-74
  // WS-41: once the leader has gone, the pipes are drained until their end or `quiet` without
  // bytes, at most `drain`; then left() is done. What it leaves behind goes on, and is read, until
  // it ends by itself or by stop(). Zero: the tree is not waited for (CT-74).
  Duration quiet{0};
  bool die_with_parent = false;  // PR_SET_PDEATHSIG KILL for the leader
  // Called with each chunk as it comes (bytes as read, may cut characters); may be empty.
  std::function<void(Stream, std::string_view)> on_output;
};

struct Ended {
  enum class How { kExited, kSignaled, kTimedOut, kStopped };
  How how = How::kExited;
  int code = 0;         // exit status, valid for kExited
  int signal = 0;       // that ended the leader, 0 if it exited by itself
  bool killed = false;  // the grace ran out and KILL was sent
  // Something still held the pipes when the drain time was over, or did not die of KILL in 10 s.
  bool lingered = false;
  bool out_of_memory = false;   // the kernel ended something of it for want of memory
  std::vector<Remaining> held;  // what did not die of KILL
  WallClock::time_point started_at;
  Duration duration{0};
  Duration cpu{0};  // user and system time of the leader and what it waited for
  Output out, err;

  int result_code() const;  // CT-73: 0-255, 128+n, 124, 130
};

// How the leader went while its tree may live on.
struct Left {
  Ended::How how = Ended::How::kExited;
  int code = 0, signal = 0;
  Duration duration{0};
  std::size_t processes = 0;   // of its tree that still run
  bool out_of_memory = false;  // the kernel ended something of it for want of memory
};

class Process {
 public:
  // Refused: process.not_found {program, path} and process.file_missing {file} (127),
  // process.not_executable {program, reason} (126), process.too_long (126), process.folder_missing
  // {folder, reason} (126), process.busy {what} for EAGAIN, EMFILE, ENFILE, ENOMEM after a few
  // retries with growing pauses (126), process.no_interpreter {program, interpreter} (126),
  // process.failed {program, reason} (126) for what the system forbids otherwise. refusal_code()
  // gives the number. Before all of these: confine.unavailable {level, missing, fix}.
  static boost::asio::awaitable<Result<std::unique_ptr<Process>>> start(os::Loop& loop,
                                                                        Spawn spawn);

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  virtual ~Process() = default;

  virtual int pid() const = 0;
  // What holds the tree together, as data: "cgroup", "namespace", "subreaper" or "group" (WS-51).
  virtual std::string_view containment() const = 0;
  // What of the asked confinement holds: kBest is resolved.
  virtual policy::Confine confined() const = 0;
  // "HELVE_JOB=...": its tree is found again by this, and by nothing that anybody could guess.
  virtual const std::string& mark() const = 0;
  // Of its tree, now.
  virtual std::size_t processes() = 0;
  virtual std::vector<Remaining> remaining() = 0;
  // While it is held, no output is read beyond what comes at once, and the command waits for room
  // in its pipe; for whoever cannot take it as fast. The end of the tree reads on.
  virtual void hold(bool hold) = 0;
  // TERM (and CONT) to the whole tree, KILL after `grace` to whatever is left of it. A second call
  // can only shorten the grace. Returns at once; wait() then ends with kStopped.
  virtual void stop(Duration grace) = 0;
  // With Spawn::quiet: when the leader has exited and its output was drained; after stop(), with
  // wait()'s end. Before or beside wait(), once per Process.
  virtual boost::asio::awaitable<Left> left() = 0;
  // When it returns, the leader is reaped, the streams are drained or closed, and, after stop or
  // timeout, nothing of the tree is left. Once per Process. Throws only if the awaiting coroutine
  // is cancelled.
  virtual boost::asio::awaitable<Ended> wait() = 0;

 protected:
  Process() = default;
};

int refusal_code(const Refusal& refusal);  // CT-73: 127 or 126

}  // namespace helve::process
