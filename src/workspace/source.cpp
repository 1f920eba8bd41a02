#include "workspace/source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/check.h"
#include "os/replace.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kFew = 8 * 1024;

// As many bytes as there are, up to `size`; -1 and errno.
ssize_t read_fully(int fd, char* into, std::size_t size, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd, into + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

}  // namespace

Source::Source(int fd, std::uint64_t size, std::string shown)
    : fd_(fd), size_(size), shown_(std::move(shown)), buffer_(kBlock) {}

Source::Source(std::string bytes, std::string shown)
    : size_(bytes.size()), shown_(std::move(shown)), memory_(std::move(bytes)) {}

Result<std::string_view> Source::at(std::uint64_t offset, std::size_t wanted) {
  HELVE_CHECK(wanted <= kBlock);
  if (stopped_ != nullptr && *stopped_) return refuse("read.cancelled", {{"path", shown_}});
  if (memory_) {
    const std::size_t from = std::min<std::uint64_t>(offset, memory_->size());
    return std::string_view(*memory_).substr(from, kBlock);
  }
  const bool to_the_end = buffer_ends_ && offset <= base_ + filled_;
  if (offset < base_ || (offset + wanted > base_ + filled_ && !to_the_end)) {
    if (auto read = fill(offset, wanted); !read) return std::unexpected(read.error());
  }
  const std::size_t skipped = offset - base_;
  return std::string_view(buffer_.data() + skipped, filled_ - skipped);
}

// Whoever looks at a few bytes gets them; whoever goes through the file gets a block.
Result<void> Source::fill(std::uint64_t offset, std::size_t wanted) {
  const std::size_t size = wanted <= kFew ? wanted : kBlock;
  base_ = offset;
  filled_ = 0;
  buffer_ends_ = false;
  const ssize_t got = read_fully(fd_, buffer_.data(), size, offset);
  if (got < 0) return std::unexpected(os::errno_refusal(errno, shown_));
  filled_ = static_cast<std::size_t>(got);
  buffer_ends_ = filled_ < size;
  return {};
}

Result<std::string> read_beginning(int fd, std::size_t limit, const std::string& shown) {
  std::string bytes;
  while (bytes.size() < limit) {
    const std::size_t done = bytes.size();
    const std::size_t step = std::min(Source::kBlock, limit - done);
    bytes.resize(done + step);
    const ssize_t got = read_fully(fd, bytes.data() + done, step, done);
    if (got < 0) return std::unexpected(os::errno_refusal(errno, shown));
    bytes.resize(done + static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < step) break;
  }
  return bytes;
}

}  // namespace helve::workspace
