#include "mcp/detail/line_sink.h"

#include <boost/asio/post.hpp>
#include <cerrno>
#include <utility>

namespace helve::mcp {

LineSink::LineSink(os::Loop& loop, Channel channel, std::function<void(int)> lost)
    : loop_(loop), watch_(loop), way_(channel.way), lost_(std::move(lost)) {
  closed_ = !channel.fd || watch_.open(std::move(channel.fd)) != 0;
}

void LineSink::add(std::string_view message) {
  if (closed_) return;
  queue_ += message;
  queue_ += '\n';
  if (held_ || posted_ || waiting_) return;
  posted_ = true;
  boost::asio::post(loop_.executor(), [self = shared_from_this()] {
    self->posted_ = false;
    self->flush();
  });
}

void LineSink::release() {
  held_ = false;
  flush();
}

void LineSink::flush() {
  if (held_ || waiting_) return;
  while (!closed_ && waiting_bytes() > 0) {
    const auto count = write_some(watch_.get(), way_, std::string_view(queue_).substr(written_));
    if (count >= 0) {
      written_ += static_cast<size_t>(count);
    } else if (errno == EAGAIN) {
      return wait();
    } else if (errno != EINTR) {
      return lose(errno);
    }
  }
  queue_.clear();
  written_ = 0;
  if (queue_.capacity() > kHigh) queue_.shrink_to_fit();
  tell();
}

void LineSink::wait() {
  if (written_ > queue_.size() / 2) queue_.erase(0, std::exchange(written_, 0));
  waiting_ = true;
  watch_.writable([self = shared_from_this()](const boost::system::error_code& error) {
    self->waiting_ = false;
    if (!error) self->flush();
  });
  tell();
}

void LineSink::lose(int error) {
  close();
  if (lost_) std::exchange(lost_, nullptr)(error);
}

void LineSink::tell() {
  if (drained_ && waiting_bytes() <= kLow) std::exchange(drained_, nullptr)();
  if (empty_ && waiting_bytes() == 0) std::exchange(empty_, nullptr)();
}

void LineSink::when_drained(std::function<void()> react) {
  drained_ = std::move(react);
  tell();
}

void LineSink::when_empty(std::function<void()> react) {
  empty_ = std::move(react);
  tell();
}

void LineSink::close() {
  closed_ = true;
  watch_.close();
  std::string().swap(queue_);
  written_ = 0;
  tell();
}

}  // namespace helve::mcp
