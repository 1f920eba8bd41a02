// commands/recorder.h
//
// Fills a Report while the run goes on, keeps the evidence on disk as it comes (a killed host still
// leaves what was done), and tells whoever watches. Loop thread only.
#pragma once

#include <string_view>

#include "commands/report.h"
#include "os/fd.h"

namespace helve::commands {

// Whoever shows a run while it goes on. Calls come on the loop and must not block for long.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void started(const StepRun& run) = 0;   // a leaf starts an attempt
  virtual void finished(const StepRun& run) = 0;  // it ended, or a node was skipped
};

class Recorder {
 public:
  // `evidence` gets one JSON line per finished step; it may be closed (no evidence), `observer`
  // null.
  Recorder(Report& report, os::UniqueFd evidence, Observer* observer);

  size_t start(const tmpl::Step& step, std::int64_t attempt, std::int64_t group_attempt,
               bool recover);
  void finish(size_t index, StepRun&& ended);  // what `start` filled stays
  void skip(const tmpl::Step& step, std::string_view reason, bool recover);
  void scope_applied(size_t index, tmpl::Failure scope) { report_.steps[index].scope = scope; }
  void parallel(ParallelRun&& run);

  const StepRun& step(size_t index) const { return report_.steps[index]; }

 private:
  void persist(const StepRun& run);
  void bound(Kept& kept, bool keep_some);

  Report& report_;
  os::UniqueFd evidence_;
  Observer* observer_;
  Clock::time_point began_ = Clock::now();
  size_t text_budget_;
};

}  // namespace helve::commands
