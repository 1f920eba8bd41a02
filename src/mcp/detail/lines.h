// mcp/detail/lines.h
//
// Bytes in, lines out, as they come from a pipe: LF or CRLF, characters split between reads, a byte
// order mark at the start. A line over the limit is dropped while it comes in and told once. The
// reader fills the buffer directly. One thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace helve::mcp {

struct Line {
  std::string_view text;  // valid until the next space()
  bool too_long = false;
};

class Lines {
 public:
  explicit Lines(size_t limit) : limit_(limit) {}

  std::span<char> space();  // where the next bytes go
  void filled(size_t count);

  std::optional<Line> next();  // the next whole line, without its end
  std::optional<Line> last();  // at the end of input: what has no line end

 private:
  Line take(size_t length);

  std::vector<char> buffer_;
  size_t limit_;
  size_t begin_ = 0, end_ = 0;  // of what has not been taken
  size_t scanned_ = 0;          // no line end before it
  bool first_ = true, dropping_ = false;
};

}  // namespace helve::mcp
