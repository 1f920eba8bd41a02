#include "workspace/bounded.h"

#include <algorithm>
#include <utility>

#include "base/encoded.h"
#include "base/text.h"
#include "base/texts.h"
#include "workspace/detail/excerpt.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kMostOfReason = 200;

bool has_long_line(std::string_view text) {
  for (std::size_t at = 0; text.size() - at > kMostOfLine;) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos || end - at > kMostOfLine) return true;
    at = end + 1;
  }
  return false;
}

// What is missing, and where it can be read from this byte on.
struct Missing {
  LeftOut left_out;
  std::size_t total = 0, cursor = 0;
};

Texts facts(const Missing& missing, const Elsewhere& elsewhere) {
  const std::string reason = flatten_controls(elsewhere.reason);  // it is part of one line
  const std::size_t kept = utf8_floor(reason, std::min(kMostOfReason, reason.size()));
  return {{"bytes", std::to_string(missing.left_out.bytes)},
          {"lines", std::to_string(missing.left_out.lines)},
          {"total", std::to_string(missing.total)},
          {"path", elsewhere.path},
          {"job", elsewhere.job},
          {"cursor", std::to_string(missing.cursor)},
          {"reason", reason.substr(0, kept)}};
}

std::string marker(const char* key, const Missing& missing, const Elsewhere& elsewhere) {
  const char* where = !elsewhere.path.empty() ? "" : !elsewhere.job.empty() ? "_job" : "_lost";
  return text(std::string(key) + where, facts(missing, elsewhere));
}

std::string gap_marker(const Missing& gap, const Elsewhere& elsewhere) {
  return marker("bounded.gap", gap, elsewhere) + '\n';
}

// For a text of which only long lines lack something.
std::string lines_marker(std::size_t cut, std::size_t total, const Elsewhere& elsewhere) {
  return marker("bounded.lines_cut", {.left_out = {cut, 0}, .total = total}, elsewhere);
}

void end_line(std::string& text) {
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
}

LeftOut gap_between(std::string_view text, const Part& head, const Part& tail) {
  const std::string_view gap = text.substr(head.bytes, text.size() - head.bytes - tail.bytes);
  auto lines = static_cast<std::uint64_t>(std::count(gap.begin(), gap.end(), '\n'));
  if (!head.whole_lines && lines > 0) --lines;  // of that line something is shown
  return {gap.size(), lines};
}

Bounded lines_cut(std::string_view text, Part all, const Elsewhere& elsewhere) {
  Bounded bounded{std::move(all.shown), {all.cut, 0}};
  end_line(bounded.text);
  bounded.text += lines_marker(all.cut, text.size(), elsewhere);
  return bounded;
}

Bounded head_and_tail(std::string_view text, const Room& room, const Elsewhere& elsewhere,
                      const LeftOut& missing) {
  const Part head = head_of(text, room.fifth());
  const Part tail = tail_of(text.substr(head.bytes), room.less(head.shown));
  LeftOut gap = gap_between(text, head, tail);
  gap.bytes += missing.bytes;
  gap.lines += missing.lines;
  Bounded bounded{head.shown, {gap.bytes + head.cut + tail.cut, gap.lines}};
  end_line(bounded.text);
  bounded.text += gap_marker(
      {.left_out = gap, .total = text.size() + missing.bytes, .cursor = head.bytes}, elsewhere);
  bounded.text += tail.shown;
  return bounded;
}

}  // namespace

bool fits(std::string_view text, std::size_t limit, std::size_t budget) {
  return text.size() <= limit && !has_long_line(text) && encoded_size(text) <= budget;
}

Bounded bound_text(std::string_view text, std::size_t limit, std::size_t budget,
                   const Elsewhere& elsewhere, const LeftOut& missing) {
  const bool is_whole = missing == LeftOut{};
  if (is_whole && fits(text, limit, budget)) return {std::string(text), {}};
  const Room room{limit, budget};
  // With the largest numbers that it can hold, and a line end before it.
  const std::size_t size = text.size() + missing.bytes;
  Part all = head_of(text, room.less(lines_marker(size, size, elsewhere) + '\n'));
  if (is_whole && all.whole_lines && all.bytes == size) {
    return lines_cut(text, std::move(all), elsewhere);
  }
  const Missing most{.left_out = {size, size}, .total = size, .cursor = size};
  return head_and_tail(text, room.less(gap_marker(most, elsewhere) + '\n'), elsewhere, missing);
}

}  // namespace helve::workspace
