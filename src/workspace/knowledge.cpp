#include "workspace/knowledge.h"

namespace helve::workspace {
namespace {

std::size_t bytes_of(const Seen& seen) { return seen.bytes ? seen.bytes->size() : 0; }

}  // namespace

const Seen* Knowledge::find(const std::filesystem::path& real_path) {
  const auto known = by_path_.find(real_path);
  if (known == by_path_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, known->second);
  return &known->second->seen;
}

void Knowledge::saw(const std::filesystem::path& real_path, Seen seen) {
  if (bytes_of(seen) > kMostBytesOfFile) seen.bytes.reset();
  bytes_ += bytes_of(seen);
  if (find(real_path) != nullptr) {
    bytes_ -= bytes_of(entries_.front().seen);
    entries_.front().seen = std::move(seen);
  } else {
    entries_.push_front({real_path, std::move(seen)});
    by_path_[real_path] = entries_.begin();
  }
  while (entries_.size() > kMostFiles) {
    bytes_ -= bytes_of(entries_.back().seen);
    by_path_.erase(entries_.back().path);
    entries_.pop_back();
  }
  // Without its bytes a file is still known, by its version: only the diff is lost.
  for (auto entry = entries_.rbegin(); bytes_ > kMostBytes && entry != entries_.rend(); ++entry) {
    bytes_ -= bytes_of(entry->seen);
    entry->seen.bytes.reset();
  }
}

}  // namespace helve::workspace
