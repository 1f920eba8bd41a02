// mcp/detail/line_sink.h
//
// The messages for the client of a pipe, one line each. Several are written at once; what the
// client does not take yet waits here, and the reader stops reading while too much does (R1, R2).
// Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mcp/detail/channel.h"
#include "mcp/sink.h"
#include "os/watch.h"

namespace helve::mcp {

class LineSink : public Sink, public std::enable_shared_from_this<LineSink> {
 public:
  // `lost` is told the errno once the client cannot be written to; nothing is kept after it.
  LineSink(os::Loop& loop, Channel channel, std::function<void(int)> lost);

  void answer(std::string message, int) override { add(message); }
  void notify(std::string message) override { add(message); }
  bool congested() const override { return waiting_bytes() > kHigh; }

  // Between them nothing is written: the answers to what one read brought go out together.
  void hold() { held_ = true; }
  void release();

  // Runs when hardly anything waits any more; at once if that is so already.
  void when_drained(std::function<void()> react);
  void when_empty(std::function<void()> react);

  void close();

 private:
  static constexpr size_t kHigh = size_t{1024} * 1024;
  static constexpr size_t kLow = kHigh / 4;

  size_t waiting_bytes() const { return queue_.size() - written_; }
  void add(std::string_view message);
  void flush();
  void wait();
  void lose(int error);
  void tell();

  os::Loop& loop_;
  os::Watch watch_;
  Channel::Way way_;
  std::function<void(int)> lost_;
  std::function<void()> drained_, empty_;
  std::string queue_;
  size_t written_ = 0;  // of queue_
  bool held_ = false, posted_ = false, waiting_ = false, closed_ = false;
};

}  // namespace helve::mcp
