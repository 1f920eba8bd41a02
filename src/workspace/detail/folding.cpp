#include "workspace/detail/folding.h"

namespace helve::workspace {
namespace {

// The plain form of a character of two or three bytes that looks like a blank, a quote or a dash.
char plain(std::string_view at, std::size_t& size) {
  if (at.starts_with("\xC2\xA0")) {
    size = 2;
    return ' ';
  }
  if (!at.starts_with("\xE2\x80") || at.size() < 3) return '\0';
  size = 3;
  const auto last = static_cast<unsigned char>(at[2]);
  if (last <= 0x8A || last == 0xAF) return ' ';
  if (last >= 0x90 && last <= 0x95) return '-';
  if (last >= 0x98 && last <= 0x9B) return '\'';
  if (last >= 0x9C && last <= 0x9F) return '"';
  return '\0';
}

}  // namespace

void fold_line(std::string& out, std::string_view line) {
  out.clear();
  bool blank = false;
  for (std::size_t at = 0; at < line.size();) {
    char c = line[at];
    std::size_t size = 1;
    if (static_cast<unsigned char>(c) >= 0xC2) {
      if (const char instead = plain(line.substr(at), size); instead != '\0') {
        c = instead;
      } else {
        size = 1;
      }
    }
    at += size;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      blank = true;
      continue;
    }
    if (blank && !out.empty()) out += ' ';
    blank = false;
    out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  }
}

}  // namespace helve::workspace
