#include "base/text.h"

#include <algorithm>
#include <cstdint>

namespace helve {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct Decoded {
  char32_t code_point;
  size_t length;  // bytes taken; at least 1
  bool valid;
};

// WHATWG "maximal subpart": an invalid sequence takes the bytes that could have begun a valid one.
Decoded decode(std::string_view bytes, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  size_t need = 0;
  char32_t value = 0;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    need = 1;
    value = lead & 0x1FU;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    need = 2;
    value = lead & 0x0FU;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    need = 3;
    value = lead & 0x07U;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {kReplacement, 1, false};
  }
  size_t length = 1;
  for (; need > 0; --need, ++length) {
    if (at + length >= bytes.size()) return {kReplacement, length, false};
    const unsigned char next = byte(at + length);
    if (next < low || next > high) return {kReplacement, length, false};
    value = (value << 6U) | (next & 0x3FU);
    low = 0x80;
    high = 0xBF;
  }
  return {value, length, true};
}

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000 || c == 0xFEFF;
}

bool is_ascii(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return (c & 0x80) == 0; });
}

bool plain_in_shell(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-+=./:,@%").find(c) != std::string_view::npos;
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

// Characters that cannot be seen, or make others stand in another order than they are read in: a
// command line that a person judges must show them.
bool is_hidden(char32_t c) {
  return is_control(c) || c == 0xAD || c == 0x61C || c == 0x180E || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE0FFF);
}

bool has_hidden(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    if (is_hidden(next_code_point(text, at))) return true;
  }
  return false;
}

void append_byte_escape(std::string& out, char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  out.append("\\x");
  out += kDigits[value >> 4U];
  out += kDigits[value & 0xFU];
}

// $'...', where bash, zsh and ksh read escapes; so a terminal gets none of the control characters.
std::string quote_with_escapes(std::string_view word) {
  std::string out = "$'";
  for (size_t at = 0; at < word.size();) {
    const size_t from = at;
    const char32_t c = next_code_point(word, at);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (is_hidden(c)) {
      for (const char byte : word.substr(from, at - from)) append_byte_escape(out, byte);
    } else {
      if (c == '\'' || c == '\\') out += '\\';
      out += word.substr(from, at - from);
    }
  }
  return out + "'";
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const Decoded decoded = decode(bytes, at);
    if (!decoded.valid) return false;
    at += decoded.length;
  }
  return true;
}

std::string to_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (size_t at = 0; at < bytes.size();) {
    const Decoded decoded = decode(bytes, at);
    if (decoded.valid) {
      out += bytes.substr(at, decoded.length);
    } else {
      append_utf8(out, kReplacement);
    }
    at += decoded.length;
  }
  return out;
}

size_t utf8_floor(std::string_view bytes, size_t at) {
  if (at >= bytes.size()) return bytes.size();
  for (size_t back = 0; back < 4 && back <= at; ++back) {
    const size_t start = at - back;
    if (continues_character(bytes[start])) continue;
    return start + decode(bytes, start).length > at ? start : at;
  }
  return at;
}

size_t utf8_ceil(std::string_view bytes, size_t at) {
  const size_t floor = utf8_floor(bytes, at);
  if (floor == at || at >= bytes.size()) return std::min(at, bytes.size());
  return floor + decode(bytes, floor).length;
}

size_t utf8_whole(std::string_view piece) {
  for (size_t back = 1; back <= std::min<size_t>(3, piece.size()); ++back) {
    const size_t start = piece.size() - back;
    if (continues_character(piece[start])) continue;
    return decode(piece, start).valid ? piece.size() : start;
  }
  return piece.size();
}

size_t count_characters(std::string_view text) {
  return text.size() - static_cast<size_t>(std::ranges::count_if(text, continues_character));
}

char32_t next_code_point(std::string_view bytes, size_t& at) {
  const Decoded decoded = decode(bytes, at);
  at += decoded.length;
  return decoded.code_point;
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) {
    out += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xC0 | (c >> 6U));
    put(0x80 | (c & 0x3FU));
  } else if (c < 0x10000) {
    put(0xE0 | (c >> 12U));
    put(0x80 | ((c >> 6U) & 0x3FU));
    put(0x80 | (c & 0x3FU));
  } else {
    put(0xF0 | (c >> 18U));
    put(0x80 | ((c >> 12U) & 0x3FU));
    put(0x80 | ((c >> 6U) & 0x3FU));
    put(0x80 | (c & 0x3FU));
  }
}

std::string_view trim(std::string_view text) {
  size_t start = 0;
  while (start < text.size()) {
    const Decoded decoded = decode(text, start);
    if (!decoded.valid || !is_space(decoded.code_point)) break;
    start += decoded.length;
  }
  text.remove_prefix(start);
  while (!text.empty()) {
    size_t last = text.size() - 1;
    while (last > 0 && continues_character(text[last])) --last;
    const Decoded decoded = decode(text, last);
    if (!decoded.valid || !is_space(decoded.code_point) || last + decoded.length != text.size()) {
      break;
    }
    text.remove_suffix(decoded.length);
  }
  return text;
}

std::string flatten_controls(std::string_view text) {
  std::string out;
  bool in_run = false;
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    const char32_t c = next_code_point(text, at);
    const bool control = is_control(c);
    if (!control) out += text.substr(from, at - from);
    if (control && !in_run) out += ' ';
    in_run = control;
  }
  return out;
}

std::string lower_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) out += separator;
    out += part;
  }
  return out;
}

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  const size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > limit) return limit + 1;
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return std::min(row[b.size()], limit + 1);
}

std::string_view closest(std::string_view word, const std::vector<std::string_view>& candidates) {
  constexpr size_t kNear = 2;
  std::string_view best;
  size_t best_distance = kNear + 1;
  for (const std::string_view candidate : candidates) {
    const size_t distance = edit_distance(word, candidate, kNear);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string shell_quote(std::string_view word) {
  if (!word.empty() && is_ascii(word) && std::all_of(word.begin(), word.end(), plain_in_shell)) {
    return std::string(word);
  }
  if (has_hidden(word)) return quote_with_escapes(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string shell_quote(const std::vector<std::string>& argv) {
  std::string out;
  for (const std::string& word : argv) {
    if (!out.empty()) out += ' ';
    out += shell_quote(word);
  }
  return out;
}

}  // namespace helve
