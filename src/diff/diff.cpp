#include "diff/diff.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "diff/detail/common_ends.h"
#include "diff/detail/shortest_edit.h"
#include "diff/lines.h"

namespace helve::diff {
namespace {

constexpr std::size_t kMostLines = 200'000;  // of both middles together

// Equal lines get equal numbers.
class Numbers {
 public:
  std::vector<std::uint32_t> of(std::span<const std::string_view> lines) {
    std::vector<std::uint32_t> out;
    out.reserve(lines.size());
    for (const std::string_view line : lines) {
      out.push_back(
          known_.try_emplace(line, static_cast<std::uint32_t>(known_.size())).first->second);
    }
    return out;
  }

 private:
  std::unordered_map<std::string_view, std::uint32_t> known_;
};

void add_change(LineDiff& diff, const LineChange& change) {
  if (change.removed == 0 && change.added == 0) return;
  LineChange* last = diff.changes.empty() ? nullptr : &diff.changes.back();
  if (last != nullptr && last->before + last->removed == change.before &&
      last->after + last->added == change.after) {
    last->removed += change.removed;
    last->added += change.added;
  } else {
    diff.changes.push_back(change);
  }
  diff.removed += change.removed;
  diff.added += change.added;
}

}  // namespace

std::size_t count_lines(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return ends + (!text.empty() && !text.ends_with('\n') ? 1 : 0);
}

LineDiff diff_lines(std::string_view before, std::string_view after) {
  LineDiff diff;
  const CommonEnds same = common_lines(before, after);
  const std::string_view old_middle =
      before.substr(same.head, before.size() - same.head - same.tail);
  const std::string_view new_middle = after.substr(same.head, after.size() - same.head - same.tail);
  const std::size_t first = count_lines(before.substr(0, same.head));
  const std::size_t removed = count_lines(old_middle), added = count_lines(new_middle);
  const LineChange whole{first, removed, first, added};
  if (removed == 0 || added == 0) {
    add_change(diff, whole);
    return diff;
  }
  if (removed + added > kMostLines) {
    diff.least = false;
    add_change(diff, whole);
    return diff;
  }
  const auto old_lines = lines_of(old_middle), new_lines = lines_of(new_middle);
  Numbers numbers;
  const ShortestEdit edit = shortest_edit(numbers.of(old_lines), numbers.of(new_lines));
  diff.least = edit.least;
  for (LineChange change : edit.changes) {
    change.before += first;
    change.after += first;
    add_change(diff, change);
  }
  return diff;
}

std::string unified_diff(std::string_view before, std::string_view after, std::size_t limit) {
  UnifiedDiff diff(limit);
  diff.add({.before = before, .after = after});
  return diff.text();
}

}  // namespace helve::diff
