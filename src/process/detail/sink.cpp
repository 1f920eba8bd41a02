#include "process/detail/sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace helve::process {
namespace {

constexpr size_t kTurn = 1024 * 1024;   // then others have a turn on the loop
constexpr int kWidePipe = 1024 * 1024;  // the most that an ordinary user may ask for
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
    const bool straight = spilling_ && direct_ && !listener;
    const ssize_t got = straight ? pull_to_file(pipe) : pull_to_memory(pipe, listener);
    if (got == 0) return Left::kEnd;
    if (got < 0 && errno == EAGAIN) return Left::kNothing;
    if (got < 0 && (errno == EINTR || straight)) continue;  // a failed splice has ended the spill
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

ssize_t Sink::pull_to_memory(int pipe, const Listener& listener) {
  if (past_tail_) back_to_memory();
  const std::span<char> room = tail_.room();
  const ssize_t got = ::read(pipe, room.data(), room.size());
  if (got <= 0) return got;
  const std::string_view fresh = tail_.advance(static_cast<size_t>(got));
  bytes_ += fresh.size();
  if (spilling_) {
    write_spill(fresh);
  } else if (!file_ && spill_error_ == 0 && !capture_.spill.empty() && tail_.exceeded()) {
    begin_spill();
  }
  if (listener) listener(fresh);
  return got;
}

ssize_t Sink::pull_to_file(int pipe) {
  const std::uint64_t left = capture_.spill_limit - in_file_;
  if (left == 0) {
    end_spill(EFBIG);
    return errno = EINTR, -1;
  }
  const size_t most = static_cast<size_t>(std::min<std::uint64_t>(left, kTurn));
  const ssize_t got =
      ::splice(pipe, nullptr, file_.get(), nullptr, most, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (got > 0) {
    bytes_ += static_cast<std::uint64_t>(got);
    in_file_ += static_cast<std::uint64_t>(got);
    past_tail_ = true;
  } else if (got < 0 && errno == EINVAL) {
    direct_ = false;  // this file system cannot
  } else if (got < 0 && errno != EAGAIN && errno != EINTR) {
    end_spill(errno);
    errno = EINTR;
  }
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

std::string Sink::last_of_file() const {
  std::string last(static_cast<size_t>(std::min<std::uint64_t>(capture_.tail, in_file_)), '\0');
  size_t have = 0;
  while (have < last.size()) {
    const auto at = static_cast<off_t>(in_file_ - last.size() + have);
    const ssize_t got = ::pread(file_.get(), last.data() + have, last.size() - have, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<size_t>(got);
  }
  last.resize(have);
  return last;
}

void Sink::back_to_memory() {
  past_tail_ = false;
  tail_.restart(last_of_file(), bytes_);
}

Output Sink::take() {
  Output output{.tail = past_tail_ ? last_of_file() : tail_.take(), .bytes = bytes_};
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
