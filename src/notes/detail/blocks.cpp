#include "notes/detail/blocks.h"

#include <algorithm>

#include "base/text.h"

namespace helve::notes {
namespace {

constexpr std::size_t kShortestFence = 3;
constexpr std::size_t kDeepestHeading = 6;

std::size_t run_of(std::string_view text, char c) {
  return std::min(text.find_first_not_of(c), text.size());
}

// Fences stand in lists and quotes, too.
std::string_view without_margin(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(" \t>"), line.size()));
}

// "#" to "######" and a blank: how many; 0 for any other line.
std::size_t heading_depth(std::string_view line) {
  line.remove_prefix(std::min<std::size_t>(run_of(line, ' '), 3));
  const std::size_t depth = run_of(line, '#');
  if (depth == 0 || depth > kDeepestHeading) return 0;
  const std::string_view rest = line.substr(depth);
  return rest.empty() || std::string_view(" \t\r\n").contains(rest.front()) ? depth : 0;
}

}  // namespace

LineKind Blocks::kind_of(std::string_view line) {
  if (fence_ != 0) {
    if (closes(line)) fence_ = 0;
    return LineKind::kCode;
  }
  if (opens(line)) return LineKind::kCode;
  if (trim(line).empty()) return LineKind::kBlank;
  return heading_depth(line) > 0 ? LineKind::kHeading : LineKind::kText;
}

bool Blocks::opens(std::string_view line) {
  const std::string_view text = without_margin(line);
  if (text.empty() || (text.front() != '`' && text.front() != '~')) return false;
  const std::size_t length = run_of(text, text.front());
  if (length < kShortestFence) return false;
  // `a` between three backticks is a span within a line.
  if (text.front() == '`' && text.substr(length).contains('`')) return false;
  fence_ = text.front();
  length_ = length;
  return true;
}

bool Blocks::closes(std::string_view line) const {
  const std::string_view text = without_margin(line);
  const std::size_t length = run_of(text, fence_);
  return length >= length_ && trim(text.substr(length)).empty();
}

std::string_view heading_text(std::string_view line) {
  const std::size_t depth = heading_depth(line);
  if (depth == 0) return "";
  std::string_view text = trim(line.substr(line.find('#') + depth));
  const std::size_t last = text.find_last_not_of('#');
  if (last == std::string_view::npos) return "";
  if (text[last] == ' ' || text[last] == '\t') text = trim(text.substr(0, last));
  return text;
}

}  // namespace helve::notes
