// process/detail/sink.h
//
// Where one stream of a command goes: the tail in memory and, once it exceeds that, the whole of it
// in the spill file. A disk that is full ends the spill, never the reading: the command is not held
// up. Without a listener the bytes go from the pipe to the file without passing through us. Loop
// thread only.
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

  Output take();

 private:
  // Each gives what read(2) gives: bytes moved, 0 at the end, or -1 with errno.
  ssize_t pull_to_memory(int pipe, const Listener& listener);
  ssize_t pull_to_file(int pipe);

  void begin_spill();
  void write_spill(std::string_view bytes);
  void end_spill(int error);
  void back_to_memory();  // the tail of what went straight to the file
  std::string last_of_file() const;
  void widen(int pipe, ssize_t moved);

  Capture capture_;
  Tail tail_;
  std::uint64_t bytes_ = 0;
  os::UniqueFd file_;
  std::uint64_t in_file_ = 0;
  int spill_error_ = 0;
  bool spilling_ = false;
  bool direct_ = true;      // splice works here
  bool past_tail_ = false;  // bytes have gone to the file that tail_ has not seen
  bool wide_ = false;
};

// The same open file for another reader, with an offset of its own; 0 bytes read so far.
os::UniqueFd reopen(int fd);

}  // namespace helve::process
