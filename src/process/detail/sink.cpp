#include "process/detail/sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace helve::process {
namespace {

constexpr size_t kTurn = 1024 * 1024;  // then others have a turn on the loop
constexpr int kWidePipe = 256 * 1024;  // still fits the cache that both sides share
constexpr ssize_t kMuch = 32 * 1024;

}  // namespace

os::UniqueFd reopen(int fd) {
  const std::string name = "/proc/self/fd/" + std::to_string(fd);
  os::UniqueFd fresh(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (fresh) return fresh;
  fresh = os::UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 3));  // no /proc: better shared than none
  if (fresh) ::lseek(fresh.get(), 0, SEEK_SET);
  return fresh;
}

Sink::Sink(Capture capture) : capture_(std::move(capture)), tail_(capture_.tail) {}

Sink::Left Sink::pull(int pipe, const Listener& listener) {
  for (size_t moved = 0; moved < kTurn;) {
    const ssize_t got = pull_once(pipe, listener);
    if (got == 0) return Left::kEnd;
    if (got < 0 && errno == EAGAIN) return Left::kNothing;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Left::kEnd;
    moved += static_cast<size_t>(got);
    widen(pipe, got);
  }
  return Left::kMore;
}

// A command that writes much gets a larger pipe: fewer turns for both.
void Sink::widen(int pipe, ssize_t moved) {
  if (wide_ || moved < kMuch) return;
  wide_ = true;
  ::fcntl(pipe, F_SETPIPE_SZ, kWidePipe);
}

// Measured: splice(2) from the pipe to the file is slower than reading into the ring and writing
// from there, because the file then grows page by page.
ssize_t Sink::pull_once(int pipe, const Listener& listener) {
  const std::span<char> room = tail_.room();
  const ssize_t got = ::read(pipe, room.data(), room.size());
  if (got <= 0) return got;
  const std::string_view fresh = tail_.advance(static_cast<size_t>(got));
  if (spilling_) {
    write_spill(fresh);
  } else if (!file_ && spill_error_ == 0 && !capture_.spill.empty() && tail_.exceeded()) {
    begin_spill();
  }
  if (listener) listener(fresh);
  return got;
}

void Sink::begin_spill() {
  file_ = os::UniqueFd(
      ::open(capture_.spill.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file_) {
    spill_error_ = errno;
    return;
  }
  spilling_ = true;
  write_spill(tail_.all());
}

void Sink::write_spill(std::string_view bytes) {
  const std::uint64_t left = capture_.spill_limit - in_file_;
  const bool too_much = bytes.size() > left;
  if (too_much) bytes = bytes.substr(0, static_cast<size_t>(left));
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(file_.get(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return end_spill(errno);
    in_file_ += static_cast<std::uint64_t>(wrote);
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  if (too_much) end_spill(EFBIG);
}

void Sink::end_spill(int error) {
  spill_error_ = error;
  spilling_ = false;
}

Output Sink::take() {
  Output output{.bytes = tail_.total()};
  output.tail = tail_.take();
  output.spill_error = spill_error_;
  if (file_ && in_file_ == 0) {
    ::unlink(capture_.spill.c_str());
  } else if (file_) {
    os::UniqueFd reader = reopen(file_.get());
    output.spilled =
        std::make_shared<const os::UniqueFd>(reader ? std::move(reader) : std::move(file_));
    output.file = capture_.spill;
  }
  output.complete = output.in_memory() || (output.spilled && spill_error_ == 0);
  return output;
}

}  // namespace helve::process
