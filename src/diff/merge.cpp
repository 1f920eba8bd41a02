#include "diff/merge.h"

#include <algorithm>
#include <span>
#include <vector>

#include "diff/diff.h"
#include "diff/lines.h"

namespace helve::diff {
namespace {

using Lines = std::span<const std::string_view>;

bool same_line(std::string_view a, std::string_view b) { return bare(a) == bare(b); }

std::string_view end_of(std::string_view line) { return line.substr(bare(line).size()); }

// With one kind of line end for all, so that none differs from another.
std::string with_plain_ends(Lines lines) {
  std::string out;
  for (const std::string_view line : lines) out.append(bare(line)) += '\n';
  return out;
}

// What one writer made of the base.
class Side {
 public:
  Side(std::string_view text, std::string_view plain_base)
      : lines_(lines_of(text)), changes_(diff_lines(plain_base, with_plain_ends(lines_)).changes) {}

  bool done() const { return next_ == changes_.size(); }
  std::size_t next_begin() const { return changes_[next_].before; }

  // Takes the changes that begin at or before `end`, and moves it behind them.
  bool take_until(std::size_t& end) {
    bool taken = false;
    for (; !done() && next_begin() <= end; ++next_, taken = true) {
      const LineChange& change = changes_[next_];
      end = std::max(end, change.before + change.removed);
      removed_ += change.removed;
      added_ += change.added;
    }
    changed_ = changed_ || taken;
    return taken;
  }

  bool changed() const { return changed_; }  // in the region that is being taken

  // What stands here for so many lines of the base, with the changes taken.
  Lines advance(std::size_t base_lines) {
    const std::size_t count = base_lines - removed_ + added_;
    const Lines out = Lines(lines_).subspan(at_, count);
    at_ += count;
    removed_ = added_ = 0;
    changed_ = false;
    return out;
  }

 private:
  std::vector<std::string_view> lines_;
  std::vector<LineChange> changes_;
  std::size_t next_ = 0, at_ = 0;
  std::size_t removed_ = 0, added_ = 0;
  bool changed_ = false;
};

class Merger {
 public:
  Merger(std::string_view base, std::string_view mine, std::string_view theirs,
         const MergeLabels& labels)
      : base_(lines_of(base)),
        labels_(labels),
        plain_base_(with_plain_ends(base_)),
        mine_(mine, plain_base_),
        theirs_(theirs, plain_base_),
        marker_end_(first_end_is_crlf(mine) ? "\r\n" : "\n") {}

  Merge run() {
    std::size_t at = 0;  // in the base
    while (!mine_.done() || !theirs_.done()) {
      const std::size_t begin = next_begin();
      unchanged(at, begin);
      at = begin;
      while (mine_.take_until(at) || theirs_.take_until(at)) {
      }
      region(begin, at);
    }
    unchanged(at, base_.size());
    return std::move(out_);
  }

 private:
  static bool first_end_is_crlf(std::string_view text) {
    return text.substr(0, text.find('\n')).ends_with('\r');
  }

  std::size_t next_begin() const {
    if (mine_.done()) return theirs_.next_begin();
    if (theirs_.done()) return mine_.next_begin();
    return std::min(mine_.next_begin(), theirs_.next_begin());
  }

  // Only line ends may differ here: whoever changed one keeps it.
  void unchanged(std::size_t from, std::size_t end) {
    const Lines mine = mine_.advance(end - from), theirs = theirs_.advance(end - from);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const bool changed = end_of(mine[i]) != end_of(base_[from + i]);
      put(changed ? mine[i] : theirs[i]);
    }
  }

  void region(std::size_t begin, std::size_t end) {
    const bool by_me = mine_.changed(), by_them = theirs_.changed();
    const Lines mine = mine_.advance(end - begin), theirs = theirs_.advance(end - begin);
    if (!by_them || std::ranges::equal(mine, theirs, same_line)) return put(mine);
    if (!by_me) return put(theirs);
    ++out_.conflicts;
    marker("<<<<<<<", labels_.mine);
    put(mine);
    marker("|||||||", labels_.base);
    put(Lines(base_).subspan(begin, end - begin));
    marker("=======", "");
    put(theirs);
    marker(">>>>>>>", labels_.theirs);
  }

  void marker(std::string_view mark, std::string_view label) {
    std::string line(mark);
    if (!label.empty()) line.append(" ").append(label);
    put(line.append(marker_end_));
  }

  void put(Lines lines) {
    for (const std::string_view line : lines) put(line);
  }

  // The last line of a side may be without an end, and stand before others here.
  void put(std::string_view line) {
    if (!out_.text.empty() && !out_.text.ends_with('\n')) out_.text += '\n';
    out_.text += line;
  }

  const std::vector<std::string_view> base_;
  const MergeLabels& labels_;
  const std::string plain_base_;
  Side mine_, theirs_;
  const std::string_view marker_end_;
  Merge out_;
};

}  // namespace

Merge merge_lines(std::string_view base, std::string_view mine, std::string_view theirs,
                  const MergeLabels& labels) {
  return Merger(base, mine, theirs, labels).run();
}

}  // namespace helve::diff
