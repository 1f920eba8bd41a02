#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"
#include "notes/detail/front_matter.h"

namespace helve::notes {
namespace {

// Booleans and nulls of YAML 1.1.
constexpr std::array<std::string_view, 9> kWords = {"y",   "n",    "yes",   "no",  "on",
                                                    "off", "true", "false", "null"};

bool is_letter_of_ascii(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_plain(char c) {
  return is_letter_of_ascii(c) || (c >= '0' && c <= '9') || std::string_view(" _-./").contains(c);
}

// From a letter on nothing is a number or a date.
bool plain_is_safe(std::string_view text) {
  return !text.empty() && is_letter_of_ascii(text.front()) && !text.ends_with(' ') &&
         std::ranges::all_of(text, is_plain) &&
         std::ranges::find(kWords, lower_ascii(text)) == kWords.end();
}

// Line ends of YAML, and what it does not let stand in a text.
bool wants_escape(char32_t c) {
  return (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029 || c == 0xFEFF || c == 0xFFFE ||
         c == 0xFFFF;
}

void append_escape(std::string& out, char32_t c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u";
  for (unsigned shift = 16; shift > 0;) {
    shift -= 4;
    out += kHex[(c >> shift) & 0xFU];
  }
}

}  // namespace

std::string yaml_scalar(std::string_view text) {
  if (plain_is_safe(text)) return std::string(text);
  std::string json, out;
  append_json_string(json, text);
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t from = at;
    const char32_t c = next_code_point(json, at);
    if (wants_escape(c)) {
      append_escape(out, c);
    } else {
      out.append(json, from, at - from);
    }
  }
  return out;
}

}  // namespace helve::notes
