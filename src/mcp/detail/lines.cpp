#include "mcp/detail/lines.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace helve::mcp {
namespace {

constexpr size_t kChunk = size_t{64} * 1024;  // what one read takes at most at first
constexpr size_t kLeast = kChunk / 2;
constexpr size_t kKeep = 32 * kChunk;  // a larger buffer is given back once it is empty
constexpr std::string_view kMark = "\xEF\xBB\xBF";

}  // namespace

std::span<char> Lines::space() {
  if (begin_ == end_) {
    begin_ = end_ = scanned_ = 0;
    if (buffer_.size() > kKeep) std::vector<char>().swap(buffer_);
  }
  if (buffer_.size() - end_ < kLeast && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < kLeast) buffer_.resize(std::max(kChunk, 2 * buffer_.size()));
  return std::span(buffer_).subspan(end_);
}

void Lines::filled(size_t count) { end_ += count; }

Line Lines::take(size_t length) {
  std::string_view text(buffer_.data() + begin_, length);
  if (std::exchange(first_, false) && text.starts_with(kMark)) text.remove_prefix(kMark.size());
  if (text.ends_with('\r')) text.remove_suffix(1);
  const bool too_long = std::exchange(dropping_, false) || length > limit_;
  return {.text = too_long ? std::string_view() : text, .too_long = too_long};
}

std::optional<Line> Lines::next() {
  const void* found =
      scanned_ == end_ ? nullptr : std::memchr(&buffer_[scanned_], '\n', end_ - scanned_);
  if (found != nullptr) {
    const auto at = static_cast<size_t>(static_cast<const char*>(found) - buffer_.data());
    const Line line = take(at - begin_);
    begin_ = scanned_ = at + 1;
    return line;
  }
  scanned_ = end_;
  if (end_ - begin_ > limit_) {
    dropping_ = true;
    begin_ = end_ = scanned_ = 0;
  }
  return std::nullopt;
}

std::optional<Line> Lines::last() {
  if (begin_ == end_ && !dropping_) return std::nullopt;
  const Line line = take(end_ - begin_);
  begin_ = scanned_ = end_;
  return line;
}

}  // namespace helve::mcp
