#include <algorithm>
#include <span>

#include "base/text.h"
#include "base/texts.h"
#include "diff/detail/common_ends.h"
#include "diff/diff.h"
#include "diff/lines.h"

namespace helve::diff {
namespace {

constexpr std::size_t kContext = 3;
constexpr std::size_t kMostOfLine = 200;  // bytes shown of one
constexpr std::size_t kBeforeDifference = 60;
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

using Lines = std::vector<std::string_view>;

bool has_cr(std::string_view line) { return line.ends_with("\r\n"); }

// A long line from shortly before where it begins to differ from its counterpart.
std::string cut(std::string_view line, std::string_view counterpart) {
  if (line.size() <= kMostOfLine) return std::string(line);
  std::size_t from = common_bytes(line, counterpart).head;
  from = utf8_floor(line, from > kBeforeDifference ? from - kBeforeDifference : 0);
  const std::size_t end = utf8_floor(line, std::min(line.size(), from + kMostOfLine));
  std::string out(from > 0 ? kEllipsis : "");
  out += line.substr(from, end - from);
  return out.append(end < line.size() ? kEllipsis : "");
}

class Hunk {
 public:
  Hunk(const Window& window, const Lines& before, const Lines& after)
      : window_(window), before_(before), after_(after) {}

  std::string render(std::span<const LineChange> changes) {
    const LineChange &first = changes.front(), &last = changes.back();
    const std::size_t head = std::min(first.before, kContext);
    const std::size_t last_end = last.before + last.removed;
    const std::size_t tail = std::min(before_.size() - last_end, kContext);
    const std::size_t begin = first.before - head, end = last_end + tail;
    out_ = "@@ -" + range(begin + window_.before_line, end - begin) + " +" +
           range(first.after - head + window_.after_line,
                 last.after + last.added + tail - (first.after - head)) +
           " @@\n";
    std::size_t at = begin;
    for (const LineChange& change : changes) {
      context(at, change.before);
      show(change);
      at = change.before + change.removed;
    }
    context(at, end);
    return std::move(out_);
  }

 private:
  static std::string range(std::size_t first, std::size_t count) {
    return std::to_string(count == 0 ? first : first + 1) + ',' + std::to_string(count);
  }

  void context(std::size_t from, std::size_t end) {
    for (std::size_t i = from; i < end; ++i) line(' ', before_[i], before_[i], false);
  }

  void show(const LineChange& change) {
    const auto gone = std::span(before_).subspan(change.before, change.removed);
    const auto come = std::span(after_).subspan(change.after, change.added);
    const auto crs = std::ranges::count_if(gone, has_cr) + std::ranges::count_if(come, has_cr);
    const bool mixed = crs > 0 && static_cast<std::size_t>(crs) < gone.size() + come.size();
    for (std::size_t i = 0; i < gone.size(); ++i) {
      line('-', gone[i], i < come.size() ? come[i] : "", mixed);
    }
    for (std::size_t i = 0; i < come.size(); ++i) {
      line('+', come[i], i < gone.size() ? gone[i] : "", mixed);
    }
  }

  void line(char mark, std::string_view line, std::string_view counterpart, bool show_cr) {
    out_ += mark;
    out_ += cut(bare(line), bare(counterpart));
    if (show_cr && has_cr(line)) out_ += "^M";
    out_ += '\n';
    if (!line.ends_with('\n')) out_ += "\\ " + helve::text("diff.no_newline") + '\n';
  }

  const Window& window_;
  const Lines &before_, &after_;
  std::string out_;
};

// How many changes from the first on are close enough for one hunk.
std::size_t hunk_size(std::span<const LineChange> changes) {
  std::size_t count = 1;
  while (count < changes.size()) {
    const LineChange& last = changes[count - 1];
    if (changes[count].before - (last.before + last.removed) > 2 * kContext) break;
    ++count;
  }
  return count;
}

}  // namespace

void UnifiedDiff::add(const Window& window) {
  add(window, diff_lines(window.before, window.after));
}

void UnifiedDiff::add(const Window& window, const LineDiff& diff) {
  if (diff.changes.empty()) return;
  if (full()) return leave_out(diff.changes.size());
  const Lines before = lines_of(window.before), after = lines_of(window.after);
  std::span<const LineChange> rest(diff.changes);
  while (!rest.empty()) {
    const std::size_t count = hunk_size(rest);
    std::string hunk = Hunk(window, before, after).render(rest.first(count));
    const std::size_t room = limit_ - std::min(limit_, out_.size());
    if (hunk.size() > room) {
      if (out_.empty()) out_ = hunk.substr(0, hunk.rfind('\n', room) + 1);
      return leave_out(rest.size());
    }
    out_ += hunk;
    rest = rest.subspan(count);
  }
}

std::string UnifiedDiff::text() const {
  if (!full()) return out_;
  return out_ + helve::text("diff.more", {{"count", std::to_string(left_out_)}}) + '\n';
}

}  // namespace helve::diff
