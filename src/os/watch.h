// os/watch.h
//
// One descriptor in the loop's epoll set, owned. Readiness is only a hint: a sibling child that was
// just cloned can hold the same open file for a moment, so stale events are possible; whoever waits
// tries the call again and waits again if nothing came. Leaves epoll before the close, which Asio's
// own close() does not do. Loop thread only.
#pragma once

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <utility>

#include "os/fd.h"
#include "os/loop.h"

namespace helve::os {

class Watch {
 public:
  explicit Watch(Loop& loop) : stream_(loop.context()) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { close(); }

  // Takes the descriptor. Gives 0, or the errno that kept it out of epoll (then it is closed).
  int open(UniqueFd fd);
  bool is_open() const { return stream_.is_open(); }
  int get() const { return fd_; }  // -1 when closed

  // Calls `handler(error_code)` once, from the loop; with an error if it was closed meanwhile.
  template <typename Handler>
  void readable(Handler&& handler) {
    stream_.async_wait(Stream::wait_read, std::forward<Handler>(handler));
  }
  template <typename Handler>
  void writable(Handler&& handler) {
    stream_.async_wait(Stream::wait_write, std::forward<Handler>(handler));
  }

  UniqueFd release();  // out of epoll, still open
  void close() { release(); }

 private:
  using Stream =
      boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;
  Stream stream_;
  int fd_ = -1;
};

}  // namespace helve::os
