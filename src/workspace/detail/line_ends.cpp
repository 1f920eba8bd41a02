#include "workspace/detail/line_ends.h"

#include <cstring>

namespace helve::workspace {
namespace {

constexpr std::string_view kCrLf = "\r\n";

}  // namespace

std::size_t find_bytes(std::string_view text, std::string_view what, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  const void* at = memmem(text.data() + from, text.size() - from, what.data(), what.size());
  if (at == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

bool has_crlf(std::string_view text) {
  return find_bytes(text, kCrLf, 0) != std::string_view::npos;
}

std::string with_lf(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t from = 0;;) {
    const std::size_t at = find_bytes(text, kCrLf, from);
    out += text.substr(from, at == std::string_view::npos ? at : at - from);
    if (at == std::string_view::npos) return out;
    from = at + 1;
  }
}

std::size_t place_before_lf(std::string_view text, std::size_t place) {
  std::size_t dropped = 0;  // CRs that with_lf left out before the place
  for (std::size_t from = 0;;) {
    const std::size_t at = find_bytes(text, kCrLf, from);
    if (at == std::string_view::npos || at - dropped >= place) return place + dropped;
    ++dropped;
    from = at + kCrLf.size();
  }
}

}  // namespace helve::workspace
