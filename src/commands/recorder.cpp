#include "commands/recorder.h"

#include <unistd.h>

#include <algorithm>

#include "commands/stream.h"

namespace helve::commands {
namespace {

// Decisions, section 5: 8 KiB a stream within 16 MiB a run. Past that only failures keep a little.
constexpr size_t kStreamText = 8 * 1024;
constexpr size_t kRunText = 16 * 1024 * 1024;
constexpr size_t kLastText = 1024;

}  // namespace

Recorder::Recorder(Report& report, os::UniqueFd evidence, Observer* observer)
    : report_(report),
      evidence_(std::move(evidence)),
      observer_(observer),
      text_budget_(kRunText) {}

size_t Recorder::start(const tmpl::Step& step, std::int64_t attempt, std::int64_t group_attempt,
                       bool recover) {
  const size_t index = report_.steps.size();
  StepRun& run = report_.steps.emplace_back();
  run.step = &step;
  run.attempt = attempt;
  run.group_attempt = group_attempt;
  run.recover = recover;
  run.ran = true;
  run.start = Clock::now() - began_;
  if (observer_ != nullptr) observer_->started(run);
  return index;
}

void Recorder::finish(size_t index, StepRun&& ended) {
  StepRun& run = report_.steps[index];
  ended.step = run.step;
  ended.attempt = run.attempt;
  ended.group_attempt = run.group_attempt;
  ended.recover = run.recover;
  ended.ran = true;
  ended.start = run.start;
  run = std::move(ended);
  bound(run.out, !succeeded(run.status));
  bound(run.err, !succeeded(run.status));
  persist(run);
  if (observer_ != nullptr) observer_->finished(run);
}

void Recorder::skip(const tmpl::Step& step, std::string_view reason, bool recover) {
  StepRun& run = report_.steps.emplace_back();
  run.step = &step;
  run.recover = recover;
  run.reason = reason;
  run.start = Clock::now() - began_;
  persist(run);
  if (observer_ != nullptr) observer_->finished(run);
}

void Recorder::parallel(ParallelRun&& run) {
  std::vector<ParallelRun>& all = report_.branches;  // only the last attempt is kept
  std::erase_if(all, [&](const ParallelRun& old) { return old.step == run.step; });
  all.push_back(std::move(run));
}

void Recorder::persist(const StepRun& run) {
  if (!evidence_) return;
  std::string line = write_json(to_json(run, report_));
  line += '\n';
  // Evidence is best effort: a full disk must not end the run.
  if (::write(evidence_.get(), line.data(), line.size()) < 0) evidence_.reset();
}

void Recorder::bound(Kept& kept, bool keep_some) {
  const size_t limit = std::min(kStreamText, std::max(text_budget_, keep_some ? kLastText : 0));
  if (kept.text.size() > limit) {
    kept.text = tail_text(kept.text, limit);
    kept.truncated = true;
  }
  text_budget_ -= std::min(text_budget_, kept.text.size());
}

}  // namespace helve::commands
