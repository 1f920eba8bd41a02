#include "tool/detail/log_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "os/disk.h"
#include "os/files.h"

namespace helve::tool {
namespace {

constexpr std::uint64_t kLine = 64;  // bytes in front of the ring: "START END\n" and blanks
constexpr mode_t kPrivate = 0600;

bool write_at(int fd, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

size_t read_at(int fd, char* into, size_t most, std::uint64_t at) {
  ssize_t n = 0;
  do {
    n = ::pread(fd, into, most, static_cast<off_t>(at));
  } while (n < 0 && errno == EINTR);
  return n < 0 ? 0 : static_cast<size_t>(n);
}

// "START END": false for anything else.
bool read_numbers(std::string_view line, LogRanges& into) {
  const char* const end = line.data() + line.size();
  const auto first = std::from_chars(line.data(), end, into.start);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != ' ') return false;
  return std::from_chars(first.ptr + 1, end, into.end).ec == std::errc();
}

std::uint64_t size_of(int fd) {
  const off_t size = fd < 0 ? 0 : ::lseek(fd, 0, SEEK_END);
  return size < 0 ? 0 : static_cast<std::uint64_t>(size);
}

}  // namespace

LogFiles::LogFiles(std::filesystem::path folder, const std::string& id, const LogLimits& limits)
    : folder_(std::move(folder)),
      head_file_(folder_ / (id + ".log")),
      ring_file_(folder_ / (id + ".ring")),
      limits_(limits) {}

LogFiles::~LogFiles() {
  if (goes_) remove();
}

bool LogFiles::open_both(int flags) {
  const auto file = [&](const std::filesystem::path& path) {
    return os::UniqueFd(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, kPrivate));
  };
  if (!head_) head_ = file(head_file_);
  // The ring is made once it is needed.
  if (!ring_ && (ranges_.head >= limits_.head || (flags & O_CREAT) == 0)) ring_ = file(ring_file_);
  return static_cast<bool>(head_);
}

LogRanges LogFiles::open() {
  const std::scoped_lock lock(mutex_);
  open_both(O_RDONLY);
  broken_ = true;  // it is another process's
  ranges_ = {.head = size_of(head_.get())};
  std::array<char, kLine> line{};
  LogRanges said;
  if (ring_ && read_at(ring_.get(), line.data(), line.size(), 0) == line.size() &&
      read_numbers({line.data(), line.size()}, said) && said.start <= said.end &&
      said.end - said.start <= limits_.ring && said.start >= ranges_.head) {
    ranges_.start = said.start;
    ranges_.end = said.end;
  }
  return ranges_;
}

bool LogFiles::has_room() const {
  const auto disk = os::disk_space(folder_);
  return disk && disk->free >= limits_.free_bytes &&
         disk->free / 100 * 100 >= disk->all / 100 * limits_.free_percent;
}

LogFiles::Written LogFiles::write(std::uint64_t at, std::string_view bytes) {
  const std::scoped_lock lock(mutex_);
  if (broken_) return {ranges_, false};
  broken_ =
      (!head_ && !os::make_private_folder(folder_)) || !has_room() || !open_both(O_RDWR | O_CREAT);
  const bool in_head = ranges_.end == 0 && at == ranges_.head && at < limits_.head;
  if (!broken_ && in_head) {
    const size_t fits = std::min<std::uint64_t>(bytes.size(), limits_.head - at);
    broken_ = !write_at(head_.get(), bytes.substr(0, fits), at);
    if (!broken_) ranges_.head += fits;
    bytes.remove_prefix(fits);
    at += fits;
  }
  if (!broken_ && !bytes.empty()) broken_ = !write_ring(at, bytes);
  return {ranges_, !broken_};
}

bool LogFiles::write_ring(std::uint64_t at, std::string_view bytes) {
  if (!ring_) {
    ring_ = os::UniqueFd(
        ::open(ring_file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kPrivate));
  }
  if (!ring_) return false;
  if (at != ranges_.end) ranges_.start = ranges_.end = at;
  while (!bytes.empty()) {
    const std::uint64_t place = at % limits_.ring;
    const auto piece = bytes.substr(0, std::min<std::uint64_t>(bytes.size(), limits_.ring - place));
    const std::uint64_t end = at + piece.size();
    // What is about to be overwritten is given up before, so that no death in between lies.
    if (end > limits_.ring) ranges_.start = std::max(ranges_.start, end - limits_.ring);
    ranges_.end = std::max(ranges_.end, ranges_.start);
    if (!write_line() || !write_at(ring_.get(), piece, kLine + place)) return false;
    ranges_.end = end;
    bytes.remove_prefix(piece.size());
    at = end;
  }
  return write_line();
}

bool LogFiles::write_line() const {
  std::string line = std::to_string(ranges_.start) + ' ' + std::to_string(ranges_.end) + '\n';
  line.resize(kLine, ' ');
  return write_at(ring_.get(), line, 0);
}

size_t LogFiles::read_some(std::uint64_t from, char* into, size_t most) const {
  if (from < ranges_.head) {
    return read_at(head_.get(), into, std::min<std::uint64_t>(most, ranges_.head - from), from);
  }
  if (!ranges_.has(from)) return 0;
  const std::uint64_t place = from % limits_.ring;
  const std::uint64_t room = std::min(ranges_.end - from, limits_.ring - place);
  return read_at(ring_.get(), into, std::min<std::uint64_t>(most, room), kLine + place);
}

std::string LogFiles::read(std::uint64_t from, size_t most) {
  const std::scoped_lock lock(mutex_);
  std::string out(std::min<std::uint64_t>(most, ranges_.last() > from ? ranges_.last() - from : 0),
                  '\0');
  size_t size = 0;
  while (size < out.size()) {
    const size_t got = read_some(from + size, out.data() + size, out.size() - size);
    if (got == 0) break;
    size += got;
  }
  out.resize(size);
  return out;
}

void LogFiles::remove() {
  const std::scoped_lock lock(mutex_);
  broken_ = true;
  goes_ = false;
  ranges_ = {};
  head_.reset();
  ring_.reset();
  std::error_code ignored;
  std::filesystem::remove(head_file_, ignored);
  std::filesystem::remove(ring_file_, ignored);
}

}  // namespace helve::tool
