// workspace/bounded.h
//
// A text that is too long for an answer: whole lines of its head and tail, and between them one line
// that says what is missing and where it is (WS-24). Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace helve::workspace {

struct LeftOut {
  std::uint64_t bytes = 0, lines = 0;
};

// Where the full text is, for the marker line: a path that `read` opens, or why there is none.
struct Elsewhere {
  std::string path;    // "": nowhere
  std::string reason;  // why nowhere
};

struct Bounded {
  std::string text;
  LeftOut left_out;  // nothing: the text is whole
};

// At most `limit` bytes and `budget` encoded characters (base/encoded.h), the marker included. Lines
// longer than 4,000 bytes are shown with their head and tail (WS-37). `total` is the size of the
// whole text if `text` is only what was kept of it: `head` bytes of it from the start, the rest from
// the end.
Bounded bound_text(std::string_view text, std::size_t limit, std::size_t budget,
                   const Elsewhere& elsewhere);

}  // namespace helve::workspace
