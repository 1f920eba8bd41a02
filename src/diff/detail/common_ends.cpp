#include "diff/detail/common_ends.h"

#include <algorithm>
#include <cstring>

namespace helve::diff {
namespace {

constexpr std::size_t kBlock = 4096;  // compared at once; memcmp is much faster than a loop

std::size_t common_head(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t at = 0;
  while (at + kBlock <= most && std::memcmp(a.data() + at, b.data() + at, kBlock) == 0)
    at += kBlock;
  while (at < most && a[at] == b[at]) ++at;
  return at;
}

std::size_t common_tail(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  const char *a_end = a.data() + a.size(), *b_end = b.data() + b.size();
  std::size_t at = 0;
  while (at + kBlock <= most &&
         std::memcmp(a_end - at - kBlock, b_end - at - kBlock, kBlock) == 0) {
    at += kBlock;
  }
  while (at < most && a[a.size() - 1 - at] == b[b.size() - 1 - at]) ++at;
  return at;
}

// Where a line begins in both.
bool begins_line(std::string_view text, std::size_t at) {
  return at == 0 || (at <= text.size() && text[at - 1] == '\n');
}

}  // namespace

CommonEnds common_bytes(std::string_view a, std::string_view b) {
  const std::size_t head = common_head(a, b);
  return {head, common_tail(a.substr(head), b.substr(head))};
}

CommonEnds common_lines(std::string_view a, std::string_view b) {
  if (a == b) return {a.size(), 0};
  CommonEnds same;
  same.head = common_head(a, b);
  const std::size_t lf = same.head == 0 ? std::string_view::npos : a.rfind('\n', same.head - 1);
  same.head = lf == std::string_view::npos ? 0 : lf + 1;
  same.tail = common_tail(a.substr(same.head), b.substr(same.head));
  // A tail that begins within a line loses that line's rest.
  const std::size_t from = a.size() - same.tail;
  if (!begins_line(a, from) || !begins_line(b, b.size() - same.tail)) {
    const std::size_t next = a.find('\n', from);
    same.tail = next == std::string_view::npos ? 0 : a.size() - next - 1;
  }
  return same;
}

}  // namespace helve::diff
