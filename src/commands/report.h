// commands/report.h
//
// The record of one run, step by step, as it happens; report.schema.json is its JSON form. The
// plan must outlive it: steps are pointed at, not copied. Loop thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/refusal.h"
#include "base/time.h"
#include "template/plan.h"

namespace helve::commands {

enum class Status { kOk, kDegraded, kFailed, kTimedOut, kCancelled, kSkipped };
std::string_view name(Status status);       // "timed_out"
std::string_view join_name(Status status);  // as header lines have it (CT-79): "done", "timeout"
std::string_view name(tmpl::Failure scope);

inline bool succeeded(Status s) { return s == Status::kOk || s == Status::kDegraded; }
inline bool failed(Status s) { return s == Status::kFailed || s == Status::kTimedOut; }

// What a person calls a step: its label, else its command line cut to 60 bytes (secrets masked),
// else its place in the template.
std::string step_name(const tmpl::Step& step);

// `text` with every occurrence of each secret of four bytes or more replaced by ***.
std::string mask(std::string text, const std::vector<std::string>& secrets);

struct Kept {        // what the report keeps of a stream
  std::string text;  // valid UTF-8, the end of it
  std::uint64_t bytes = 0;
  bool truncated = false;
  std::string file;
  bool file_truncated = false;
};

// Of a stream of `bytes` bytes of which `tail` is the end: its last 8 KiB, secrets masked.
Kept keep(std::string_view tail, std::uint64_t bytes, const std::vector<std::string>& secrets);

struct StepRun {  // one attempt of a leaf, or a node that was skipped
  const tmpl::Step* step = nullptr;
  std::int64_t attempt = 1;
  std::int64_t group_attempt = 0;  // 0: no enclosing group is retried
  bool recover = false;
  bool ran = false;
  Status status = Status::kSkipped;
  int exit = 0;
  int signal = 0;
  bool killed = false, lingered = false;
  std::string_view reason;  // one of the schema's; "" for none
  WallClock::time_point started_at;
  Duration start{0};  // since the start of the run
  Duration duration{0}, cpu{0};
  Kept out, err;
  std::optional<tmpl::Failure> scope;
};

struct Coverage {
  std::uint64_t expected = 0, done = 0, failed = 0, skipped = 0;
  bool degraded = false;
  void count(Status status);
};

struct BranchRun {
  std::string label;
  Status status = Status::kSkipped;
  int exit = 0;
  std::string_view reason;
};

struct ParallelRun {
  const tmpl::Step* step = nullptr;
  std::vector<BranchRun> children;
};

struct Report {
  std::string id, tool, cwd, output = "stdout";
  JsonObject arguments;
  Status status = Status::kOk;
  int exit = 0;
  std::string_view reason;
  Kept result;
  WallClock::time_point started_at;
  Duration duration{0};
  std::vector<size_t> failures;  // indices into steps
  std::vector<StepRun> steps;
  std::vector<ParallelRun> branches;
  std::vector<Finding> warnings;
  std::vector<std::string> secrets;  // texts that to_json masks

  Coverage coverage() const;
};

Json to_json(const StepRun& step, const Report& report);
Json to_json(const Report& report);

// The JSON Schema of to_json(Report), as text.
std::string_view report_schema();

}  // namespace helve::commands
