// How values travel in headers.
#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "mcp/detail/fields.h"
#include "mcp/detail/header_rules.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kOpening = "=?base64?";
constexpr std::string_view kClosing = "?=";

bool is_wrapped(std::string_view value) {
  return value.size() >= kOpening.size() + kClosing.size() && value.starts_with(kOpening) &&
         value.ends_with(kClosing);
}

bool is_printable(std::string_view value) {
  return std::ranges::all_of(value, [](char c) { return c == '\t' || (c >= ' ' && c <= '~'); });
}

}  // namespace

std::optional<std::string> decode_header_value(std::string_view value) {
  if (!is_wrapped(value)) {
    if (!is_printable(value)) return std::nullopt;
    return std::string(value);
  }
  value.remove_prefix(kOpening.size());
  value.remove_suffix(kClosing.size());
  auto text = decode_base64(value);
  if (text && !is_utf8(*text)) return std::nullopt;
  return text;
}

std::string encode_header_value(std::string_view value) {
  const bool plain = !value.empty() && trim_field(value) == value && is_printable(value);
  if (plain && !is_wrapped(value)) return std::string(value);
  return std::string(kOpening) + encode_base64(value) + std::string(kClosing);
}

}  // namespace helve::mcp
