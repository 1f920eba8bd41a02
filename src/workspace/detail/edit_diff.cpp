#include "workspace/detail/edit_diff.h"

#include <algorithm>
#include <span>

#include "diff/diff.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kMostLines = 10;
constexpr int kContext = 3;

std::size_t line_ends_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// The begin of the line that is three before the one of `at`.
std::size_t back(std::string_view text, std::size_t at) {
  for (int i = 0; i <= kContext; ++i) {
    const std::size_t lf = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    if (lf == std::string_view::npos) return 0;
    at = i == kContext ? lf + 1 : lf;
  }
  return at;
}

// The end of the lines that are shown behind a swap: three after the last line that it changes.
class Behind {
 public:
  explicit Behind(std::string_view text) : text_(text) {}

  // For swaps from front to back.
  std::size_t end_of(const Swap& swap, std::string_view put) {
    // A line that is replaced with its line end leaves the next one as it is.
    const bool whole = text_[swap.end - 1] == '\n' && (put.empty() || put.ends_with('\n'));
    const std::size_t from = whole ? swap.end - 1 : swap.end;
    if (end_ > 0 && from <= line_end_) return end_;
    line_end_ = text_.find('\n', from);
    std::size_t at = line_end_;
    for (int i = 0; i < kContext && at != std::string_view::npos; ++i)
      at = text_.find('\n', at + 1);
    end_ = at == std::string_view::npos ? text_.size() : at + 1;
    return end_;
  }

 private:
  std::string_view text_;
  std::size_t line_end_ = 0, end_ = 0;  // of the last swap's line, and of what is shown behind it
};

class Walk {
 public:
  Walk(std::string_view text, const Matching& matching) : text_(text), matching_(matching) {}

  EditDiff run() {
    std::span<const Swap> rest(matching_.swaps);
    while (!rest.empty() && !diff_.full()) {
      const std::size_t begin = std::max(back(text_, rest.front().begin), at_);
      std::size_t count = 1, end = behind_.end_of(rest.front(), put_by(rest.front()));
      while (count < rest.size() && touches(end, rest[count].begin)) {
        end = behind_.end_of(rest[count], put_by(rest[count]));
        ++count;
      }
      show(begin, end, rest.first(count));
      rest = rest.subspan(count);
    }
    if (!rest.empty()) diff_.leave_out(rest.size());
    return {diff_.text(), std::move(lines_)};
  }

 private:
  const std::string& put_by(const Swap& swap) const { return matching_.texts[swap.text]; }

  // Whether the lines before a swap begin where the ones behind another end, or earlier.
  bool touches(std::size_t end, std::size_t begin) const {
    return begin <= end || back(text_.substr(end), begin - end) == 0;
  }

  void show(std::size_t begin, std::size_t end, std::span<const Swap> swaps) {
    move_to(begin);
    const std::size_t old_line = old_line_, new_line = new_line_;
    std::string after;
    for (const Swap& swap : swaps) {
      after += text_.substr(at_, swap.begin - at_);
      move_to(swap.begin);
      if (lines_.size() < kMostLines) lines_.push_back(new_line_ + 1);
      const std::string& put = put_by(swap);
      after += put;
      old_line_ += line_ends_in(text_.substr(swap.begin, swap.end - swap.begin));
      new_line_ += line_ends_in(put);
      at_ = swap.end;
    }
    after += text_.substr(at_, end - at_);
    move_to(end);
    diff_.add({.before = text_.substr(begin, end - begin),
               .after = after,
               .before_line = old_line,
               .after_line = new_line});
  }

  void move_to(std::size_t place) {
    const std::size_t lines = line_ends_in(text_.substr(at_, place - at_));
    old_line_ += lines;
    new_line_ += lines;
    at_ = place;
  }

  std::string_view text_;
  const Matching& matching_;
  Behind behind_{text_};
  diff::UnifiedDiff diff_{diff::kDiffBytes};
  std::vector<std::size_t> lines_;
  std::size_t at_ = 0, old_line_ = 0, new_line_ = 0;
};

}  // namespace

EditDiff edit_diff(std::string_view text, const Matching& matching) {
  return Walk(text, matching).run();
}

}  // namespace helve::workspace
