// commands/stream.h
//
// The bytes that one step hands to the next: in memory, or in a spill file once they are many.
// Cheap to copy; the bytes are shared and never change. Loop thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "process/process.h"

namespace helve::commands {

struct Stream {
  process::Bytes memory;       // all bytes, or the last ones if there is a file or it is incomplete
  process::File file;          // all bytes, from its start
  std::filesystem::path path;  // of the file
  std::uint64_t bytes = 0;
  bool complete = true;  // false: the bytes are not all there any more

  static Stream of(std::string bytes);
  process::Input input() const;  // only of a complete stream
  std::string_view tail() const { return memory ? std::string_view(*memory) : std::string_view(); }
};

// Of `bytes`, the last ones, at most `limit`, not cut inside a character, as valid UTF-8.
std::string tail_text(std::string_view bytes, size_t limit);

// Puts a join together from text and streams, part by part.
class Joiner {
 public:
  // Beyond `memory_limit` the join goes to `spill` (a path that does not exist yet; empty: the
  // memory is the limit, and more makes it incomplete).
  Joiner(size_t memory_limit, std::filesystem::path spill);
  void add(std::string_view text);
  void add(const Stream& stream);      // reads its file; blocking
  char last() const { return last_; }  // the byte added last, '\0' at the start
  Stream finish() &&;

 private:
  void put(std::string_view bytes);
  bool spill_now();

  size_t memory_limit_;
  std::filesystem::path path_;
  std::string memory_;
  os::UniqueFd file_;
  std::uint64_t bytes_ = 0;
  char last_ = '\0';
  bool complete_ = true;
};

}  // namespace helve::commands
