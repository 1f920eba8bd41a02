#include "workspace/detail/mistakes.h"

#include <algorithm>

#include "base/text.h"
#include "diff/lines.h"
#include "workspace/detail/folding.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kMostLines = 64;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view without_indent(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

std::string_view without_trailing(std::string_view line) {
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

// Behind "  12\t", "12: ", "12|" or "12→".
std::optional<std::string_view> behind_number(std::string_view line) {
  std::string_view rest = without_indent(line);
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits == 0 || digits > 9) return std::nullopt;
  rest.remove_prefix(digits);
  for (const std::string_view mark : {"\t", ": ", ":", " | ", "|", "\xE2\x86\x92"}) {
    if (rest.starts_with(mark)) return rest.substr(mark.size());
  }
  return std::nullopt;
}

std::string simplified(Only only, std::string_view line) {
  line = diff::bare(line);
  if (only == Only::kCase) return lower_ascii(line);
  if (only == Only::kIndentation) return std::string(without_indent(line));
  if (only == Only::kTrailingBlanks) return std::string(without_trailing(line));
  std::string out;
  fold_line(out, line);
  return out;
}

bool is_only(Only only, std::string_view text, std::string_view wanted) {
  for (std::size_t lines = 0; !wanted.empty(); ++lines) {
    const std::string_view want = wanted.substr(0, wanted.find('\n')),
                           here = text.substr(0, text.find('\n'));
    if (lines == kMostLines || text.empty()) return false;
    const bool last = want.size() == wanted.size();
    const std::string a = simplified(only, here), b = simplified(only, want);
    if (last ? !a.starts_with(b) : a != b) return false;
    wanted.remove_prefix(std::min(want.size() + 1, wanted.size()));
    text.remove_prefix(std::min(here.size() + 1, text.size()));
  }
  return true;
}

}  // namespace

std::optional<std::string> without_line_numbers(std::string_view text) {
  std::string out;
  bool any = false;
  for (const std::string_view line : diff::lines_of(text)) {
    const auto behind = behind_number(line);
    if (!behind && !trim(line).empty()) return std::nullopt;
    any = any || behind;
    out += behind.value_or(line);
  }
  return any ? std::optional(out) : std::nullopt;
}

std::optional<std::string> without_escapes(std::string_view text) {
  if (!text.contains("\\n")) return std::nullopt;
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    constexpr std::string_view kNames = "ntr\"\\", kStandFor = "\n\t\r\"\\";
    const std::size_t which = text[at] == '\\' && at + 1 < text.size() ? kNames.find(text[at + 1])
                                                                       : std::string_view::npos;
    if (which != std::string_view::npos) ++at;
    out += which == std::string_view::npos ? text[at] : kStandFor[which];
  }
  return out;
}

std::optional<Only> only_difference(std::string_view text, std::size_t begin,
                                    std::string_view wanted) {
  for (const Only only :
       {Only::kCase, Only::kIndentation, Only::kTrailingBlanks, Only::kTypography}) {
    if (is_only(only, text.substr(begin), wanted)) return only;
  }
  return std::nullopt;
}

}  // namespace helve::workspace
