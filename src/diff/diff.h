// diff/diff.h
//
// What differs between two texts, by lines, and the unified form of it for an answer. The work is
// bounded: where two texts have too little in common, the part between what they begin and end with
// alike is one change. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace helve::diff {

// Lines from 0, the line end belongs to its line.
struct LineChange {
  std::size_t before = 0, removed = 0;
  std::size_t after = 0, added = 0;
  bool operator==(const LineChange&) const = default;
};

struct LineDiff {
  std::vector<LineChange> changes;  // in order, with equal lines between any two
  std::size_t removed = 0, added = 0;
  bool least = true;  // false: a shorter one may exist
};

LineDiff diff_lines(std::string_view before, std::string_view after);

// A part of two texts, for the numbers of its lines.
struct Window {
  std::string_view before, after;
  std::size_t before_line = 0, after_line = 0;  // of the first, from 0
};

// Hunks with three lines of context until `limit` bytes are full. CRs of line ends are shown, as
// ^M, only where they are what differs; of long lines the part that differs.
class UnifiedDiff {
 public:
  explicit UnifiedDiff(std::size_t limit) : limit_(limit) {}

  void add(const Window& window);
  void add(const Window& window, const LineDiff& diff);

  bool full() const { return left_out_ > 0; }
  void leave_out(std::size_t changes) { left_out_ += changes; }

  std::string text() const;  // with a last line about what is left out

 private:
  std::size_t limit_, left_out_ = 0;
  std::string out_;
};

inline constexpr std::size_t kDiffBytes = 4096;  // of a diff in an answer (WS-89)

// "" if they are equal.
std::string unified_diff(std::string_view before, std::string_view after,
                         std::size_t limit = kDiffBytes);

std::size_t count_lines(std::string_view text);  // a last piece without a line end is one

}  // namespace helve::diff
