#include "mcp/detail/fields.h"

#include <algorithm>

#include "base/text.h"

namespace helve::mcp {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool is_token_character(char c) {
  const char letter = lower(c);
  return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view trim_field(std::string_view value) {
  while (!value.empty() && is_blank(value.front())) value.remove_prefix(1);
  while (!value.empty() && is_blank(value.back())) value.remove_suffix(1);
  return value;
}

Field find_field(const http::Headers& headers, std::string_view name) {
  Field found;
  for (const http::Header& header : headers.all()) {
    if (!same_word(header.name, name)) continue;
    if (found.count++ == 0) found.value = trim_field(header.value);
  }
  return found;
}

std::vector<std::string_view> split_field(std::string_view value, char separator) {
  std::vector<std::string_view> parts;
  bool quoted = false;
  size_t begin = 0;
  for (size_t at = 0; at < value.size(); ++at) {
    if (quoted && value[at] == '\\') {
      ++at;
    } else if (value[at] == '"') {
      quoted = !quoted;
    } else if (!quoted && value[at] == separator) {
      parts.push_back(trim_field(value.substr(begin, at - begin)));
      begin = at + 1;
    }
  }
  parts.push_back(trim_field(value.substr(begin)));
  return parts;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_character);
}

std::string shown(std::string_view value) {
  constexpr size_t kMost = 120;
  std::string clean = flatten_controls(to_utf8(value.substr(0, 2 * kMost)));
  if (clean.size() <= kMost && value.size() <= 2 * kMost) return clean;
  return clean.substr(0, utf8_floor(clean, kMost)) + "...";
}

}  // namespace helve::mcp
