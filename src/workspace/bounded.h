// workspace/bounded.h
//
// A text that is too long for an answer: whole lines of its head (a fifth of the room) and of its
// tail, and between them one line that says what is missing and where it is (WS-24). A line of more
// than 4,000 bytes is shown with its own head and tail and says itself what it lacks (WS-37).
// Nothing is cut inside a character. The sentences are those of texts/en/workspace_output.txt.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace helve::workspace {

inline constexpr std::size_t kMostOfLine = 4'000;  // bytes of one line that are shown

// What of the text is not shown, exactly. A line counts if nothing of it is shown.
struct LeftOut {
  std::uint64_t bytes = 0, lines = 0;
  bool operator==(const LeftOut&) const = default;
};

// Where the full text is, for the marker line: a path that `read` opens, or a job whose log has it
// from the same byte on, or why there is none.
struct Elsewhere {
  std::string path;    // "": nowhere
  std::string job;     // in place of the path; "": none
  std::string reason;  // why nowhere, as a sentence without a full stop
};

struct Bounded {
  std::string text;
  LeftOut left_out;  // nothing: the text is whole
};

// True if bound_text would give all of the text: so a caller keeps the full text
// (workspace/spills.h) only where something is left out.
bool fits(std::string_view text, std::size_t limit, std::size_t budget);

// At most `limit` bytes and `budget` encoded characters (base/encoded.h), 1,000 or more of each,
// all that is added included. `text` is valid UTF-8. Of a text that nobody holds as a whole, it is
// the head and the tail, each of more than the limit, and `missing` is what lies between them.
Bounded bound_text(std::string_view text, std::size_t limit, std::size_t budget,
                   const Elsewhere& elsewhere, const LeftOut& missing = {});

}  // namespace helve::workspace
