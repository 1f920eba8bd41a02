#include "diff/detail/shortest_edit.h"

#include <algorithm>

namespace helve::diff {
namespace {

constexpr std::int32_t kMostEdits = 800;
constexpr std::int64_t kMostSteps = 8'000'000;  // along equal lines, all in all

class Search {
 public:
  Search(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after)
      : a_(before),
        b_(after),
        n_(static_cast<std::int32_t>(before.size())),
        m_(static_cast<std::int32_t>(after.size())) {}

  ShortestEdit run() {
    for (std::int32_t edits = 0;; ++edits) {
      rounds_.emplace_back(static_cast<std::size_t>(edits) + 1);
      for (std::int32_t k = -edits; k <= edits; k += 2) {
        const std::int32_t x = slide(begin_of(edits, k), k);
        reach(edits, k) = x;
        if (x >= n_ && x - k >= m_) return {walk_back(edits, k)};
      }
      if (edits == kMostEdits || steps_ > kMostSteps) return give_up(edits);
    }
  }

 private:
  // How far into `before` this many edits come on diagonal k; each round has every second k.
  std::int32_t& reach(std::int32_t edits, std::int32_t k) {
    return rounds_[static_cast<std::size_t>(edits)][static_cast<std::size_t>((k + edits) / 2)];
  }

  bool comes_down(std::int32_t edits, std::int32_t k) {
    if (k == -edits) return true;
    return k != edits && reach(edits - 1, k - 1) < reach(edits - 1, k + 1);
  }

  std::int32_t begin_of(std::int32_t edits, std::int32_t k) {
    if (edits == 0) return 0;
    return comes_down(edits, k) ? reach(edits - 1, k + 1) : reach(edits - 1, k - 1) + 1;
  }

  std::int32_t slide(std::int32_t x, std::int32_t k) {
    const std::int32_t from = x;
    while (x < n_ && x - k < m_ &&
           a_[static_cast<std::size_t>(x)] == b_[static_cast<std::size_t>(x - k)]) {
      ++x;
    }
    steps_ += x - from;
    return x;
  }

  // From where this many edits came furthest, all the rest is one change.
  ShortestEdit give_up(std::int32_t edits) {
    std::int32_t best_k = 0, best_x = -1;
    for (std::int32_t k = -edits; k <= edits; k += 2) {
      const std::int32_t x = reach(edits, k);
      if (x > n_ || x - k > m_ || (best_x >= 0 && 2 * x - k <= 2 * best_x - best_k)) continue;
      best_k = k;
      best_x = x;
    }
    if (best_x < 0) return {{whole()}, false};
    ShortestEdit out{walk_back(edits, best_k), false};
    const auto x = static_cast<std::size_t>(best_x), y = static_cast<std::size_t>(best_x - best_k);
    out.changes.push_back({x, a_.size() - x, y, b_.size() - y});
    return out;
  }

  LineChange whole() const { return {0, a_.size(), 0, b_.size()}; }

  std::vector<LineChange> walk_back(std::int32_t edits, std::int32_t k) {
    std::vector<LineChange> changes;
    for (; edits > 0; --edits) {
      const bool down = comes_down(edits, k);
      const std::int32_t before_k = down ? k + 1 : k - 1;
      const std::int32_t x = reach(edits - 1, before_k);
      prepend(changes, {.before = static_cast<std::size_t>(x),
                        .removed = down ? 0U : 1U,
                        .after = static_cast<std::size_t>(x - before_k),
                        .added = down ? 1U : 0U});
      k = before_k;
    }
    std::ranges::reverse(changes);
    return changes;
  }

  // `changes` are from back to front; steps that touch are one change.
  static void prepend(std::vector<LineChange>& changes, const LineChange& step) {
    if (!changes.empty()) {
      LineChange& next = changes.back();
      if (step.before + step.removed == next.before && step.after + step.added == next.after) {
        next = {step.before, next.removed + step.removed, step.after, next.added + step.added};
        return;
      }
    }
    changes.push_back(step);
  }

  std::span<const std::uint32_t> a_, b_;
  std::int32_t n_, m_;
  std::int64_t steps_ = 0;
  std::vector<std::vector<std::int32_t>> rounds_;
};

}  // namespace

ShortestEdit shortest_edit(std::span<const std::uint32_t> before,
                           std::span<const std::uint32_t> after) {
  return Search(before, after).run();
}

}  // namespace helve::diff
