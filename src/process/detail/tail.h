// process/detail/tail.h
//
// The last bytes of a stream, in a ring that grows with what comes and is read into directly. Until
// more than `limit` bytes have come it holds all of them, in order. Plain value; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace helve::process {

class Tail {
 public:
  explicit Tail(size_t limit) : limit_(limit) {}

  // Where the next bytes go, never empty; then `advance` by what came. Bytes that it overwrites are
  // older than `limit`.
  std::span<char> room();
  // Gives the bytes that were just written into room().
  std::string_view advance(size_t count);

  std::uint64_t total() const { return total_; }
  bool exceeded() const { return total_ > limit_; }
  // All bytes so far; only while exceeded() has just become true or is not yet.
  std::string_view all() const { return {data_.data(), static_cast<size_t>(total_)}; }

  std::string take();  // the last `limit` bytes

 private:
  size_t limit_;
  std::string data_;  // full size once it turns round
  size_t next_ = 0;
  std::uint64_t total_ = 0;
  size_t held_ = 0;  // bytes of data_ that are bytes of the stream
};

}  // namespace helve::process
