// process/detail/sink.h
//
// Where one stream of a command goes: the tail in memory and, once it exceeds that, the whole of it
// in the spill file. A disk that is full ends the spill, never the reading: the command is not held
// up. Loop thread only.
#pragma once

#include <functional>
#include <string_view>

#include "os/fd.h"
#include "process/detail/tail.h"
#include "process/process.h"

namespace helve::process {

class Sink {
 public:
  using Listener = std::function<void(std::string_view)>;

  explicit Sink(Capture capture);

  enum class Left { kMore, kNothing, kEnd };  // in the pipe, as far as one knows
  // Moves at most about 1 MiB out of `pipe`, which does not block.
  Left pull(int pipe, const Listener& listener);

  std::uint64_t total() const { return tail_.total(); }

  Output take();

 private:
  // What read(2) gives: bytes moved, 0 at the end, or -1 with errno.
  ssize_t pull_once(int pipe, const Listener& listener);

  void begin_spill();
  void write_spill(std::string_view bytes);
  void end_spill(int error);
  void widen(int pipe, ssize_t moved);

  Capture capture_;
  Tail tail_;
  os::UniqueFd file_;
  std::uint64_t in_file_ = 0;
  int spill_error_ = 0;
  bool spilling_ = false;
  bool wide_ = false;
};

// The same open file for another reader, with an offset of its own; 0 bytes read so far.
os::UniqueFd reopen(int fd);

}  // namespace helve::process
