// workspace/detail/excerpt.h
//
// One end of a text, as much of it as there is room for: whole lines, long ones shortened (WS-37),
// or whole characters where not even one line fits. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::workspace {

// What may still be added, in bytes and in encoded characters (base/encoded.h).
struct Room {
  std::size_t bytes = 0, budget = 0;

  bool take(std::string_view text);  // false, and nothing taken, if there is no room for it
  Room less(std::string_view text) const;
  Room fifth() const { return {bytes / 5, budget / 5}; }
};

struct Part {
  std::string shown;
  std::size_t bytes = 0;  // of the text that it stands for
  std::size_t cut = 0;    // of these, not shown
  bool whole_lines = true;
};

Part head_of(std::string_view text, const Room& room);
Part tail_of(std::string_view text, const Room& room);

}  // namespace helve::workspace
