// Writing JSON: the hot path of every answer, so it appends to one string and allocates nothing
// else.
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/json.h"
#include "base/text.h"

namespace helve {
namespace {

constexpr size_t kUsual = 512;  // bytes; most lines are shorter

void append_number(std::string& out, double number, bool member);

void indent(std::string& out, size_t depth) {
  out += '\n';
  out.append(2 * depth, ' ');
}

// `depth` is that of the value itself, from 0.
void append_value(std::string& out, const Json& value, bool pretty, size_t depth) {
  const auto number = [&](auto integer) {
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, integer).ptr;
    out.append(buffer, end);
  };
  switch (value.kind()) {
    case boost::json::kind::null:
      out += "null";
      return;
    case boost::json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case boost::json::kind::int64:
      return number(value.get_int64());
    case boost::json::kind::uint64:
      return number(value.get_uint64());
    case boost::json::kind::double_:
      return append_number(out, value.get_double(), depth > 0);
    case boost::json::kind::string:
      return append_json_string(out, as_text(value));
    case boost::json::kind::array: {
      out += '[';
      bool first = true;
      for (const Json& item : value.get_array()) {
        if (!first) out += ',';
        first = false;
        if (pretty) indent(out, depth + 1);
        append_value(out, item, pretty, depth + 1);
      }
      if (pretty && !first) indent(out, depth);
      out += ']';
      return;
    }
    case boost::json::kind::object: {
      out += '{';
      bool first = true;
      for (const auto& member : value.get_object()) {
        if (!first) out += ',';
        first = false;
        if (pretty) indent(out, depth + 1);
        append_json_string(out, {member.key().data(), member.key().size()});
        out += pretty ? ": " : ":";
        append_value(out, member.value(), pretty, depth + 1);
      }
      if (pretty && !first) indent(out, depth);
      out += '}';
      return;
    }
  }
}

void append_escaped(std::string& out, char c) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default:
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4U];
      out += kHex[static_cast<unsigned char>(c) & 15U];
  }
}

// What goes out as it is: ASCII but for controls, the quote and the backslash.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (size_t c = 0x20; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

// How many of the eight bytes are plain, counted from the first.
size_t plain_of_eight(const char* bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighs = 0x8080808080808080U;
  std::uint64_t x = 0;
  std::memcpy(&x, bytes, sizeof x);
  const auto zero_byte = [](std::uint64_t y) { return (y - kOnes) & ~y; };
  const std::uint64_t odd = x | (x - kOnes * 0x20) | zero_byte(x ^ (kOnes * '"')) |
                            zero_byte(x ^ (kOnes * '\\')) | zero_byte(x ^ (kOnes * 0x7F));
  // A borrow may mark bytes behind the first odd one, never in front of it (little endian).
  return static_cast<size_t>(std::countr_zero(odd & kHighs)) / 8;
}
static_assert(std::endian::native == std::endian::little);

// The first byte from `at` on that is neither plain nor the start of a common UTF-8 sequence.
size_t skip_plain(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](size_t i) { return continues_character(text[i]); };
  while (at < text.size()) {
    if (at + 8 <= text.size()) {
      const size_t plain = plain_of_eight(text.data() + at);
      at += plain;
      if (plain == 8) continue;
    }
    const unsigned char c = byte(at);
    if (kPlain[c]) {
      ++at;
    } else if (c >= 0xC2 && c <= 0xDF && at + 1 < text.size() && continues(at + 1)) {
      at += 2;
    } else if (c > 0xE0 && c < 0xF0 && c != 0xED && at + 2 < text.size() && continues(at + 1) &&
               continues(at + 2)) {
      at += 3;
    } else {
      break;
    }
  }
  return at;
}

struct Digits {
  std::array<char, 24> text;  // without the point
  int count;
  int point;  // how many of them stand in front of the point; may lie outside
};

Digits shortest_digits(double positive) {
  std::array<char, 32> buffer{};
  const char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), positive,
                                        std::chars_format::scientific)
                              .ptr;
  Digits out{};
  const char* at = buffer.data();
  for (; *at != 'e'; ++at) {
    if (*at != '.') out.text[static_cast<size_t>(out.count++)] = *at;
  }
  int exponent = 0;
  std::from_chars(at + (at[1] == '+' ? 2 : 1), end, exponent);
  out.point = exponent + 1;
  return out;
}

// Tells whether the digits of a whole double would make an integer that the reader refuses.
bool exceeds_integers(double number) {
  return number >= 18446744073709551616.0 || number < -9223372036854775808.0;
}

// Number::toString of ECMA-262, but that a member has an exponent where it could not be read back.
void append_number(std::string& out, double number, bool member) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  if (number == 0) {
    out += '0';
    return;
  }
  const Digits digits = shortest_digits(std::abs(number));
  const char* const first = digits.text.data();
  const auto zeros = [&](int count) { out.append(static_cast<size_t>(count), '0'); };
  const auto some = [&](int from, int to) { out.append(first + from, first + to); };
  if (number < 0) out += '-';
  if (digits.point > 21 || digits.point < -5 || (member && exceeds_integers(number))) {
    some(0, 1);
    if (digits.count > 1) out += '.';
    some(1, digits.count);
    out += digits.point < 1 ? "e-" : "e+";
    out += std::to_string(std::abs(digits.point - 1));
  } else if (digits.point <= 0) {
    out += "0.";
    zeros(-digits.point);
    some(0, digits.count);
  } else if (digits.count <= digits.point) {
    some(0, digits.count);
    zeros(digits.point - digits.count);
  } else {
    some(0, digits.point);
    out += '.';
    some(digits.point, digits.count);
  }
}

}  // namespace

std::string write_json(const Json& value, JsonStyle style) {
  std::string out;
  out.reserve(kUsual);
  append_value(out, value, style == JsonStyle::kPretty, 0);
  return out;
}

void append_json(std::string& out, const Json& value) { append_value(out, value, false, 0); }

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  size_t plain_from = 0;
  const auto flush = [&](size_t to) { out.append(text, plain_from, to - plain_from); };
  for (size_t at = skip_plain(text, 0); at < text.size(); at = skip_plain(text, at)) {
    const size_t from = at;
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      flush(from);
      append_escaped(out, text[at]);
      plain_from = ++at;
    } else if (next_code_point(text, at) == 0xFFFD) {  // invalid, or the character itself: the same
      flush(from);
      append_utf8(out, 0xFFFD);
      plain_from = at;
    }
  }
  flush(text.size());
  out += '"';
}

std::string number_text(double number) {
  std::string out;
  append_number(out, number, false);
  return out;
}

}  // namespace helve
