#include "tool/repeats.h"

#include <algorithm>

#include "tool/detail/bound.h"

namespace helve::tool {
namespace {

constexpr size_t kMost = 1000;
constexpr size_t kMostBytes = 16U * 1024 * 1024;
constexpr Duration kKept = std::chrono::hours(24);

}  // namespace

std::shared_ptr<Repeats::Entry> Repeats::find(const std::string& key, Clock::time_point now) {
  forget(now);
  const auto found = std::ranges::find(entries_, key, [](const auto& entry) { return entry->key; });
  return found == entries_.end() ? nullptr : *found;
}

std::shared_ptr<Repeats::Entry> Repeats::begin(std::string key, std::string digest,
                                               Clock::time_point now) {
  auto entry =
      std::make_shared<Entry>(Entry{.key = std::move(key), .digest = std::move(digest), .at = now});
  entries_.push_back(entry);
  return entry;
}

void Repeats::finish(const std::shared_ptr<Entry>& entry, const Answer& answer, bool ran) {
  entry->answer = answer;
  if (answer.needs || !ran) {
    entries_.remove(entry);
  } else {
    entry->bytes = encoded_size(answer);
    bytes_ += entry->bytes;
  }
  for (const auto& react : std::exchange(entry->waiting, {})) react();
}

// A call that is under way is never forgotten: nobody may start it again.
void Repeats::forget(Clock::time_point now) {
  for (auto at = entries_.begin(); at != entries_.end();) {
    const Entry& entry = **at;
    const bool over = entries_.size() >= kMost || bytes_ > kMostBytes || now - entry.at > kKept;
    if (!over) return;
    if (!entry.answer) {
      ++at;
      continue;
    }
    bytes_ -= entry.bytes;
    at = entries_.erase(at);
  }
}

}  // namespace helve::tool
