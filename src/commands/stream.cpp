#include "commands/stream.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.h"
#include "os/files.h"

namespace helve::commands {
namespace {

constexpr size_t kKeptTail = 64 * 1024;  // of a join that was spilled

}  // namespace

Stream Stream::of(std::string bytes) {
  const std::uint64_t size = bytes.size();
  return {.memory = std::make_shared<const std::string>(std::move(bytes)), .bytes = size};
}

process::Input Stream::input() const {
  if (file) return file;
  if (memory && !memory->empty()) return memory;
  return std::monostate{};
}

std::string tail_text(std::string_view bytes, size_t limit) {
  if (bytes.size() > limit) bytes.remove_prefix(utf8_ceil(bytes, bytes.size() - limit));
  return to_utf8(bytes);
}

Joiner::Joiner(size_t memory_limit, std::filesystem::path spill)
    : memory_limit_(memory_limit), path_(std::move(spill)) {}

void Joiner::add(std::string_view text) { put(text); }

void Joiner::add(const Stream& stream) {
  if (!stream.complete) complete_ = false;
  if (!stream.file) return put(stream.tail());
  std::string chunk(256 * 1024, '\0');
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(stream.file->get(), chunk.data(), chunk.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) complete_ = false;
    if (got <= 0) return;
    put(std::string_view(chunk).substr(0, static_cast<size_t>(got)));
    at += got;
  }
}

bool Joiner::spill_now() {
  if (path_.empty()) return false;
  file_ = os::UniqueFd(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  return file_ && os::write_all(file_.get(), memory_) == 0;
}

void Joiner::put(std::string_view bytes) {
  if (bytes.empty()) return;
  last_ = bytes.back();
  bytes_ += bytes.size();
  if (!complete_) return;
  if (!file_ && memory_.size() + bytes.size() > memory_limit_) complete_ = spill_now();
  if (file_ && complete_) complete_ = os::write_all(file_.get(), bytes) == 0;
  memory_ += bytes;
  if (file_ && memory_.size() > 2 * kKeptTail) memory_.erase(0, memory_.size() - kKeptTail);
}

Stream Joiner::finish() && {
  Stream stream = Stream::of(std::move(memory_));
  stream.bytes = bytes_;
  stream.complete = complete_;
  if (file_ && complete_) {
    stream.file = std::make_shared<const os::UniqueFd>(std::move(file_));
    stream.path = path_;
  }
  return stream;
}

}  // namespace helve::commands
