#include "tool/jobs.h"

#include <algorithm>

#include "base/check.h"
#include "base/encoded.h"
#include "base/ids.h"
#include "base/text.h"

namespace helve::tool {
namespace {

constexpr size_t kMostLog = size_t{1024} * 1024;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// The next place from `at` on where a character begins.
size_t boundary(std::string_view text, size_t at) {
  while (at < text.size() && continues(text[at])) ++at;
  return at;
}

}  // namespace

void JobLog::add(std::string_view text) {
  kept_ += to_utf8(text);
  if (kept_.size() <= kMostLog) return;
  const size_t gone = boundary(kept_, kept_.size() - kMostLog / 2);
  kept_.erase(0, gone);
  dropped_ += gone;
}

JobLog::Page JobLog::read(std::uint64_t cursor, size_t budget) const {
  const std::uint64_t from = std::clamp(cursor, dropped_, end());
  const std::string_view kept = kept_;
  const size_t at = boundary(kept, static_cast<size_t>(from - dropped_));
  const std::string_view text = encoded_prefix(kept.substr(at), budget);
  return {.text = text,
          .skipped = cursor < dropped_ ? dropped_ - cursor : 0,
          .next = dropped_ + at + text.size()};
}

void Job::end(Answer how) {
  HELVE_CHECK(!answer);
  took = Clock::now() - started;
  log.add(how.text);
  answer = std::move(how);
  for (const auto& react : std::exchange(waiting_, {})) react();
}

void Job::when_ended(std::function<void()> react) {
  if (ended()) return react();
  waiting_.push_back(std::move(react));
}

size_t Jobs::running() const {
  return static_cast<size_t>(
      std::ranges::count_if(all_, [](const auto& job) { return !job->ended(); }));
}

void Jobs::add(std::shared_ptr<Job> job) {
  // Ended ones stay to be read, but not for ever.
  const auto ended = [](const auto& each) { return each->ended(); };
  while (all_.size() - running() >= most) all_.erase(std::ranges::find_if(all_, ended));
  all_.push_back(std::move(job));
}

std::shared_ptr<Job> Jobs::find(std::string_view id) const {
  const auto found = std::ranges::find(all_, id, [](const auto& job) { return job->id; });
  return found == all_.end() ? nullptr : *found;
}

}  // namespace helve::tool
