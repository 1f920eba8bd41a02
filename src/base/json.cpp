#include "base/json.h"

#include <boost/json/parse.hpp>
#include <boost/json/parser.hpp>
#include <charconv>
#include <cmath>
#include <memory>

#include "base/refusal.h"
#include "base/text.h"

namespace helve {
namespace {

constexpr size_t kMaxDepth = 256;

Texts place(std::string_view text, size_t offset) {
  const Position at = position_of(text, offset);
  return {{"line", std::to_string(at.line)}, {"column", std::to_string(at.column)}};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Boost.JSON turns an integer that does not fit into a double without a word, so valid text is
// searched for one. Returns its offset, or npos.
size_t find_large_integer(std::string_view text) {
  constexpr size_t kSafeDigits = 18;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (in_string) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        in_string = false;
      }
    } else if (text[i] == '"') {
      in_string = true;
    } else if (is_digit(text[i])) {
      const size_t digits_at = i;
      while (i < text.size() && is_digit(text[i])) ++i;
      const bool fraction = i < text.size() && (text[i] == '.' || text[i] == 'e' || text[i] == 'E');
      if (fraction) {
        while (i < text.size() && std::string_view("0123456789.eE+-").contains(text[i])) ++i;
      } else if (i - digits_at > kSafeDigits) {
        const bool negative = digits_at > 0 && text[digits_at - 1] == '-';
        const char* from = text.data() + digits_at - (negative ? 1 : 0);
        std::int64_t as_signed = 0;
        std::uint64_t as_unsigned = 0;
        const auto failed = negative ? std::from_chars(from, text.data() + i, as_signed).ec
                                     : std::from_chars(from, text.data() + i, as_unsigned).ec;
        if (failed != std::errc()) return digits_at - (negative ? 1 : 0);
      }
      --i;
    }
  }
  return std::string_view::npos;
}

void indent(std::string& out, size_t depth) {
  out += '\n';
  out.append(2 * depth, ' ');
}

// `depth` is 0 in compact style, else the depth of the value's members.
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
      out += std::isfinite(value.get_double()) ? number_text(value.get_double()) : "null";
      return;
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

}  // namespace

std::expected<Json, Refusal> parse_json(std::string_view text) {
  namespace bj = boost::json;
  bj::parse_options options;
  options.max_depth = kMaxDepth;
  bj::stream_parser parser({}, options);
  bj::error_code error;
  const size_t used = parser.write(text.data(), text.size(), error);
  if (!error) parser.finish(error);
  if (error) {
    const bool deep = error == bj::error::too_deep;
    Texts args = place(text, used);
    args.push_back(deep ? std::pair<std::string, std::string>("limit", std::to_string(kMaxDepth))
                        : std::pair<std::string, std::string>("reason", error.message()));
    return refuse(deep ? "json.too_deep" : "json.invalid", std::move(args));
  }
  if (const size_t at = find_large_integer(text); at != std::string_view::npos) {
    Texts args = place(text, at);
    args.emplace_back("number", text.substr(at, text.find_first_not_of("-0123456789", at) - at));
    return refuse("json.integer_too_large", std::move(args));
  }
  return parser.release();
}

std::string write_json(const Json& value, JsonStyle style) {
  std::string out;
  append_value(out, value, style == JsonStyle::kPretty, 0);
  return out;
}

void append_json(std::string& out, const Json& value) { append_value(out, value, false, 0); }

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  size_t plain_from = 0;
  for (size_t at = 0; at < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[at]);
    if (c >= 0x20 && c < 0x7F && c != '"' && c != '\\') {
      ++at;
      continue;
    }
    if (c < 0x80) {
      out += text.substr(plain_from, at - plain_from);
      append_escaped(out, text[at]);
      plain_from = ++at;
      continue;
    }
    const size_t from = at;
    const char32_t code_point = next_code_point(text, at);
    if (code_point == 0xFFFD) {  // invalid bytes, or the character itself: the same in the output
      out += text.substr(plain_from, from - plain_from);
      append_utf8(out, code_point);
      plain_from = at;
    }
  }
  out += text.substr(plain_from);
  out += '"';
}

std::string number_text(double number) {
  if (number == 0) return "0";
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(number), std::chars_format::scientific)
          .ptr;
  const std::string_view shortest(buffer, static_cast<size_t>(end - buffer));
  const size_t e = shortest.find('e');
  std::string digits(1, shortest[0]);
  if (e > 2) digits += shortest.substr(2, e - 2);
  int exponent = 0;
  const char* exponent_at = shortest.data() + e + (shortest[e + 1] == '+' ? 2 : 1);
  std::from_chars(exponent_at, end, exponent);
  const int count = static_cast<int>(digits.size());
  const int point = exponent + 1;  // digits in front of the decimal point
  std::string out = number < 0 ? "-" : "";
  const auto some = [&](int from, int length) {
    return std::string_view(digits).substr(static_cast<size_t>(from), static_cast<size_t>(length));
  };
  if (point > 21 || point < -5) {  // ECMA-262, Number::toString
    out += some(0, 1);
    if (count > 1) (out += '.') += some(1, count - 1);
    out += exponent < 0 ? "e-" : "e+";
    out += std::to_string(std::abs(exponent));
  } else if (point <= 0) {
    out += "0.";
    out.append(static_cast<size_t>(-point), '0');
    out += digits;
  } else if (count <= point) {
    out += digits;
    out.append(static_cast<size_t>(point - count), '0');
  } else {
    out += some(0, point);
    out += '.';
    out += some(point, count - point);
  }
  return out;
}

const Json* find(const JsonObject& object, std::string_view key) { return object.if_contains(key); }

const Json* find(const Json& value, std::string_view key) {
  return value.is_object() ? find(value.get_object(), key) : nullptr;
}

std::string_view as_text(const Json& value) {
  const auto& string = value.get_string();
  return {string.data(), string.size()};
}

std::optional<std::string_view> find_text(const Json& value, std::string_view key) {
  const Json* member = find(value, key);
  if (member == nullptr || !member->is_string()) return std::nullopt;
  return as_text(*member);
}

std::string_view json_kind(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "null";
    case boost::json::kind::bool_:
      return "boolean";
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
      return "integer";
    case boost::json::kind::double_:
      return "number";
    case boost::json::kind::string:
      return "string";
    case boost::json::kind::array:
      return "array";
    case boost::json::kind::object:
      return "object";
  }
  return "null";
}

std::string pointer_to(std::string_view parent, std::string_view key) {
  std::string out(parent);
  out += '/';
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string pointer_to(std::string_view parent, size_t index) {
  return std::string(parent) + '/' + std::to_string(index);
}

Position position_of(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const size_t last_end = before.rfind('\n');
  return {.line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n')),
          .column = 1 + before.size() - (last_end == std::string_view::npos ? 0 : last_end + 1)};
}

}  // namespace helve
