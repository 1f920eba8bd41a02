// workspace/line_index.h
//
// Where the lines of a file begin, sparsely: what one scan from the beginning found out, as far as
// it went, so that a page deep in a large file costs no second scan (WS-72). LineIndex: plain
// values, one thread. LineIndexes: any thread, shared by all sessions.
#pragma once

#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/refusal.h"
#include "os/replace.h"
#include "workspace/encoding.h"
#include "workspace/source.h"

namespace helve::workspace {

struct LineIndex {
  // Every 1,024 lines at first; wider apart beyond this many, so that an index stays below 256 KiB.
  static constexpr std::size_t kMostStarts = 32'768;

  explicit LineIndex(TextKind kind = {});

  TextKind kind;
  std::uint64_t scanned = 0;     // bytes, from the beginning
  std::uint64_t lines = 0;       // line ends in them
  std::uint64_t open_start = 0;  // where the line behind the last of these ends begins
  std::uint64_t stride = 1024;
  std::vector<std::uint64_t> starts;  // of every stride-th line
  bool complete = false;              // up to the end of the file
  bool lf = false, crlf = false;      // kinds of line ends in them
  bool after_cr = false;
  std::string version;  // of the whole file, if the scan took it

  // Lines of the file, the last one without an end among them; at least so many if not complete.
  std::uint64_t total() const { return lines + (open_start < scanned ? 1 : 0); }
};

// How far to scan: to the start of this line (from 0) or this byte, whatever comes first.
struct Until {
  std::uint64_t line = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t byte = std::numeric_limits<std::uint64_t>::max();
};

// Goes on with the scan; with `digest`, it takes in what is scanned. Refused: Source::at's.
Result<void> extend(LineIndex& index, Source& source, Until until, Sha256* digest = nullptr);

// The byte where line `line` (from 0, at most index.lines) begins.
Result<std::uint64_t> start_of_line(const LineIndex& index, Source& source, std::uint64_t line);

// The indexes of the files that were read last.
class LineIndexes {
 public:
  static constexpr std::size_t kMostFiles = 64;

  std::shared_ptr<const LineIndex> find(const os::Identity& file);  // null: none
  void keep(const os::Identity& file, LineIndex index);

 private:
  struct Kept {
    os::Identity file;
    std::shared_ptr<const LineIndex> index;
  };
  std::mutex mutex_;
  std::list<Kept> kept_;  // the latest used first
};

}  // namespace helve::workspace
