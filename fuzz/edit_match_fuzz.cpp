// An edit equals a naive one, and leaves all other bytes alone; the diff leads from the old text to
// the new one; the explanation of a text that is not there is short and valid.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "diff/diff.h"
#include "diff/lines.h"
#include "workspace/detail/body.h"
#include "workspace/detail/edit_diff.h"
#include "workspace/match.h"
#include "workspace/no_match.h"

namespace {

using namespace helve::workspace;
namespace diff = helve::diff;

// Places where `old` stands, character by character; `loosely`: any line end for any other.
struct Found {
  std::size_t begin = 0, end = 0;
};

std::size_t line_end(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with("\r\n")) return 2;
  return text.substr(at).starts_with('\n') ? 1 : 0;
}

std::optional<std::size_t> end_at(std::string_view text, std::size_t at, std::string_view old_text,
                                  bool loosely) {
  // The second half of a line end is no place to begin at.
  if (at > 0 && text[at] == '\n' && text[at - 1] == '\r') return std::nullopt;
  for (std::size_t i = 0; i < old_text.size();) {
    const std::size_t a = line_end(text, at), b = line_end(old_text, i);
    if (at >= text.size() || (loosely && (a > 0) != (b > 0))) return std::nullopt;
    if (loosely && a > 0) {
      at += a;
      i += b;
    } else if (text[at++] != old_text[i++]) {
      return std::nullopt;
    }
  }
  return at;
}

std::vector<Found> find_all(std::string_view text, std::string_view old_text, bool loosely) {
  std::vector<Found> out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = end_at(text, at, old_text, loosely);
    if (end) out.push_back({at, *end});
    at = end.value_or(at + 1);
  }
  return out;
}

void check_diff(std::string_view before, std::string_view after) {
  const diff::LineDiff found = diff::diff_lines(before, after);
  const auto old_lines = diff::lines_of(before), new_lines = diff::lines_of(after);
  std::string made;
  std::size_t at = 0;
  for (const diff::LineChange& change : found.changes) {
    HELVE_CHECK(change.before >= at);
    for (; at < change.before; ++at) made += old_lines[at];
    for (std::size_t i = 0; i < change.added; ++i) made += new_lines[change.after + i];
    at += change.removed;
  }
  for (; at < old_lines.size(); ++at) made += old_lines[at];
  HELVE_CHECK(made == after);
  HELVE_CHECK(diff::unified_diff(before, after).size() <= diff::kDiffBytes + 200);
}

void check(std::string_view text, const Wish& wish) {
  const auto exact = find_all(text, wish.old_text, false);
  const auto loose = find_all(text, wish.old_text, true);
  const auto made = match(text, std::vector<Wish>{wish});
  if (exact.empty() && loose.empty()) {
    HELVE_CHECK(!made && made.error().why == Mismatch::Why::kNone);
    const NoMatch why = explain_no_match(text, wish.old_text);
    HELVE_CHECK(why.sentences.size() <= 1024 && helve::is_utf8(why.sentences));
    return;
  }
  const auto& places = exact.empty() ? loose : exact;
  const bool fine = places.size() == 1 || (!exact.empty() && wish.all);
  if (!made) {
    HELVE_CHECK(!fine || made.error().why == Mismatch::Why::kNoChange);
    return;
  }
  HELVE_CHECK(fine && made->swaps.size() == places.size());
  std::string after;
  for (const std::string_view piece : pieces_of(text, *made)) after += piece;
  std::size_t from = 0, to = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Swap& swap = made->swaps[i];
    HELVE_CHECK(swap.begin == places[i].begin && swap.end == places[i].end);
    const std::string_view kept = text.substr(from, swap.begin - from);
    HELVE_CHECK(std::string_view(after).substr(to).starts_with(kept));
    from = swap.end;
    to += kept.size() + made->texts[swap.text].size();
  }
  HELVE_CHECK(after.substr(to) == text.substr(from));
  check_diff(text, after);
  edit_diff(text, *made);
}

}  // namespace

// Text, `old` and `new` are separated by the byte 0xFE; a first odd byte means all.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4 || size > 4096) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto parts = helve::split(input, '\xFE');
  if (parts.size() < 3 || parts[1].empty() || parts[1] == parts[2]) return 0;
  const Wish wish{std::string(parts[1]), std::string(parts[2]), data[0] % 2 == 1};
  check(parts[0], wish);
  check_diff(parts[0], parts[2]);

  // The way through the text of any encoding changes no byte that it should not.
  const Body body(parts[0]);
  if (const auto made = match(body.text(), std::vector<Wish>{wish}, body.is_text())) {
    const Matching in_bytes = body.in_bytes(*made);
    std::size_t at = 0;
    for (const Swap& swap : in_bytes.swaps) {
      HELVE_CHECK(swap.begin >= at && swap.end <= parts[0].size());
      at = swap.end;
    }
  }
  return 0;
}
