// workspace/source.h
//
// The bytes of one file, by position, in blocks of at most 64 KiB: from a descriptor, or from
// memory for the small ones and for those of /proc and /sys, whose size nobody knows before they
// are read. Blocking; one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/refusal.h"

namespace helve::workspace {

class Source {
 public:
  static constexpr std::size_t kBlock = 64 * 1024;

  // `fd` is borrowed. `shown` is the path as sentences say it.
  Source(int fd, std::uint64_t size, std::string shown);
  Source(std::string bytes, std::string shown);

  // The bytes from `offset` on: at least `wanted` of them (at most kBlock), unless the file ends
  // earlier. Valid until the next call. Refused: os::errno_refusal's, read.cancelled {path}.
  Result<std::string_view> at(std::uint64_t offset, std::size_t wanted);

  std::uint64_t size() const { return size_; }
  const std::string& shown() const { return shown_; }
  const std::string* bytes() const { return memory_ ? &*memory_ : nullptr; }  // null: not in memory

  // From then on `at` refuses once the flag is raised, from whatever thread; null: never.
  void stop_on(const std::atomic<bool>* stopped) { stopped_ = stopped; }

 private:
  Result<void> fill(std::uint64_t offset, std::size_t wanted);

  int fd_ = -1;
  std::uint64_t size_;
  std::string shown_;
  std::optional<std::string> memory_;
  const std::atomic<bool>* stopped_ = nullptr;
  std::vector<char> buffer_;
  std::uint64_t base_ = 0;
  std::size_t filled_ = 0;
  bool buffer_ends_ = false;  // where the file does
};

// The bytes of a descriptor from its beginning, at most `limit` of them. Refused: as Source::at.
Result<std::string> read_beginning(int fd, std::size_t limit, const std::string& shown);

}  // namespace helve::workspace
