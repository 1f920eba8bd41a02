// ECMAScript's regular expressions in Perl's syntax. Every literal comes out as a letter, a digit
// or \x{..}, every class as plain ranges, so that nothing Perl alone knows can slip through.
#include <charconv>
#include <cstdint>

#include "base/text.h"
#include "base/texts.h"
#include "schema/detail/pattern.h"

namespace helve::schema {
namespace {

constexpr char32_t kLast = 0x10FFFF;
constexpr size_t kMaxRepeat = 10'000;
constexpr size_t kMaxNesting = 100;

struct Range {
  char32_t from, to;
};
using Ranges = std::vector<Range>;

const Ranges kDigits = {{'0', '9'}};
const Ranges kWords = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
const Ranges kSpaces = {{0x09, 0x0D},     {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680},
                        {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F},
                        {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
const Ranges kLineEnds = {{0x0A, 0x0A}, {0x0D, 0x0D}, {0x2028, 0x2029}};

Ranges complement(const Ranges& sorted) {
  Ranges out;
  char32_t next = 0;
  for (const Range& range : sorted) {
    if (range.from > next) out.push_back({next, range.from - 1});
    next = range.to + 1;
  }
  if (next <= kLast) out.push_back({next, kLast});
  return out;
}

// The class of \d, \D, \w, \W, \s, \S; empty for any other letter.
Ranges class_of(char32_t letter) {
  switch (letter) {
    case 'd':
      return kDigits;
    case 'D':
      return complement(kDigits);
    case 'w':
      return kWords;
    case 'W':
      return complement(kWords);
    case 's':
      return kSpaces;
    case 'S':
      return complement(kSpaces);
    default:
      return {};
  }
}

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

int hex_value(char32_t c) {
  if (is_digit(c)) return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A') + 10;
  return -1;
}

void append_literal(std::wstring& out, char32_t c) {
  if (is_digit(c) || is_letter(c)) {
    out += static_cast<wchar_t>(c);
    return;
  }
  char digits[8];
  const char* const end =
      std::to_chars(digits, digits + sizeof digits, static_cast<std::uint32_t>(c), 16).ptr;
  out += L"\\x{";
  out.append(static_cast<const char*>(digits), end);
  out += L'}';
}

void append_class(std::wstring& out, const Ranges& ranges, bool negated) {
  if (ranges.empty()) {
    out += negated ? L"[\\x{0}-\\x{10ffff}]" : L"(?!)";
    return;
  }
  out += negated ? L"[^" : L"[";
  for (const Range& range : ranges) {
    append_literal(out, range.from);
    if (range.to == range.from) continue;
    out += L'-';
    append_literal(out, range.to);
  }
  out += L']';
}

class Translator {
 public:
  explicit Translator(std::string_view source) {
    for (size_t at = 0; at < source.size();) source_ += next_code_point(source, at);
  }

  std::expected<std::wstring, std::string> run() {
    alternatives(0);
    if (error_.empty() && !done()) fail("schema.pattern.parenthesis");
    if (!error_.empty()) return std::unexpected(text(error_));
    return std::move(out_);
  }

 private:
  bool done() const { return at_ >= source_.size(); }
  char32_t peek(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : 0;
  }
  bool take(std::u32string_view expected) {
    if (source_.compare(at_, expected.size(), expected) != 0) return false;
    at_ += expected.size();
    return true;
  }
  void fail(const char* key) {
    if (error_.empty()) error_ = key;
    at_ = source_.size();
  }

  void alternatives(size_t depth) {
    if (depth > kMaxNesting) return fail("schema.pattern.unsupported");
    while (!done() && peek() != ')') {
      if (take(U"|")) {
        out_ += L'|';
      } else {
        term(depth);
      }
    }
  }

  void term(size_t depth) {
    const char32_t c = peek();
    if (c == '^' || c == '$') {
      ++at_;
      out_ += c == '^' ? L"\\A" : L"\\z";
      return refuse_quantifier();
    }
    if (c == '\\' && (peek(1) == 'b' || peek(1) == 'B')) {
      out_ += peek(1) == 'b' ? L"\\b" : L"\\B";
      at_ += 2;
      return refuse_quantifier();
    }
    if (c == '*' || c == '+' || c == '?') return fail("schema.pattern.nothing_to_repeat");
    if (c == '(') {
      if (!group(depth)) return refuse_quantifier();
    } else if (c == '[') {
      ++at_;
      set();
    } else if (c == '.') {
      ++at_;
      append_class(out_, kLineEnds, true);
    } else if (c == '\\') {
      ++at_;
      atom_escape();
    } else {
      ++at_;
      append_literal(out_, c);
    }
    quantifier();
  }

  // Tells whether the group may be repeated; look-around may not.
  bool group(size_t depth) {
    ++at_;
    bool repeatable = true;
    if (take(U"?=")) {
      out_ += L"(?=";
      repeatable = false;
    } else if (take(U"?!")) {
      out_ += L"(?!";
      repeatable = false;
    } else if (take(U"?<=")) {
      out_ += L"(?<=";
      repeatable = false;
    } else if (take(U"?<!")) {
      out_ += L"(?<!";
      repeatable = false;
    } else {
      if (!take(U"?:") && take(U"?")) group_name();
      out_ += L"(?:";
    }
    alternatives(depth + 1);
    if (!take(U")")) fail("schema.pattern.parenthesis");
    out_ += L')';
    return repeatable;
  }

  void group_name() {
    if (!take(U"<")) return fail("schema.pattern.unsupported");
    const size_t from = at_;
    while (is_letter(peek()) || is_digit(peek()) || peek() == '_' || peek() == '$') ++at_;
    if (at_ == from || !take(U">")) fail("schema.pattern.unsupported");
  }

  std::optional<size_t> number() {
    if (!is_digit(peek())) return std::nullopt;
    size_t value = 0;
    for (; is_digit(peek()); ++at_) {
      value = std::min(value * 10 + static_cast<size_t>(peek() - '0'), kMaxRepeat + 1);
    }
    return value;
  }

  // Moves behind a quantifier and returns it in Perl's form; empty if there is none.
  std::wstring read_quantifier() {
    if (take(U"*")) return L"*";
    if (take(U"+")) return L"+";
    if (take(U"?")) return L"?";
    const size_t start = at_;
    if (!take(U"{")) return {};
    const auto least = number();
    const bool comma = take(U",");
    const auto most = comma ? number() : std::nullopt;
    if (!least || !take(U"}")) {
      at_ = start;
      return {};
    }
    if (*least > kMaxRepeat || most.value_or(0) > kMaxRepeat || (most && *most < *least)) {
      fail("schema.pattern.repeat");
      return {};
    }
    std::wstring out = L"{" + std::to_wstring(*least);
    if (comma) out += L',';
    if (most) out += std::to_wstring(*most);
    return out + L'}';
  }

  void quantifier() {
    const std::wstring perl = read_quantifier();
    out_ += perl;
    if (!perl.empty()) take(U"?");  // lazy or greedy decides how much is matched, never whether
  }

  void refuse_quantifier() {
    if (!read_quantifier().empty()) fail("schema.pattern.nothing_to_repeat");
  }

  void atom_escape() {
    if (const Ranges ranges = class_of(peek()); !ranges.empty()) {
      ++at_;
      return append_class(out_, ranges, false);
    }
    if (const auto c = character_escape()) append_literal(out_, *c);
  }

  // Behind the backslash; what stands for one character.
  std::optional<char32_t> character_escape() {
    const char32_t c = peek();
    if (done()) return fail("schema.pattern.escape"), std::nullopt;
    ++at_;
    switch (c) {
      case 't':
        return '\t';
      case 'n':
        return '\n';
      case 'v':
        return '\v';
      case 'f':
        return '\f';
      case 'r':
        return '\r';
      case 'c':
        if (!is_letter(peek())) return fail("schema.pattern.escape"), std::nullopt;
        return source_[at_++] % 32;
      case 'x':
        return hex_digits(2);
      case 'u':
        return unicode_escape();
      case '0':
        if (is_digit(peek())) return fail("schema.pattern.escape"), std::nullopt;
        return 0;
      case 'p':
      case 'P':
        return fail("schema.pattern.property"), std::nullopt;
      case 'k':
        return fail("schema.pattern.back_reference"), std::nullopt;
      default:
        if (is_digit(c)) return fail("schema.pattern.back_reference"), std::nullopt;
        if (is_letter(c)) return fail("schema.pattern.escape"), std::nullopt;
        return c;  // more than ECMAScript's `u` allows: people write \- and \@
    }
  }

  std::optional<char32_t> hex_digits(size_t count) {
    char32_t value = 0;
    for (; count > 0; --count) {
      const int digit = hex_value(peek());
      if (digit < 0) return fail("schema.pattern.escape"), std::nullopt;
      value = value * 16 + static_cast<char32_t>(digit);
      ++at_;
    }
    return value;
  }

  std::optional<char32_t> unicode_escape() {
    if (take(U"{")) return braced_code_point();
    const auto first = hex_digits(4);
    if (!first || *first < 0xD800 || *first > 0xDBFF) return first;
    const size_t start = at_;
    if (!take(U"\\u")) return first;
    const auto second = hex_digits(4);
    if (second && *second >= 0xDC00 && *second <= 0xDFFF) {
      return 0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00);
    }
    if (error_.empty()) at_ = start;
    return first;
  }

  std::optional<char32_t> braced_code_point() {
    char32_t value = 0;
    size_t count = 0;
    for (; hex_value(peek()) >= 0 && value <= kLast; ++at_, ++count) {
      value = value * 16 + static_cast<char32_t>(hex_value(peek()));
    }
    if (count == 0 || value > kLast || !take(U"}")) {
      return fail("schema.pattern.escape"), std::nullopt;
    }
    return value;
  }

  struct Member {
    Ranges ranges;
    bool single;
  };

  std::optional<Member> set_member() {
    const char32_t c = source_[at_++];
    if (c != '\\') return Member{{{c, c}}, true};
    if (Ranges ranges = class_of(peek()); !ranges.empty()) {
      ++at_;
      return Member{std::move(ranges), false};
    }
    if (take(U"b")) return Member{{{8, 8}}, true};
    const auto escaped = character_escape();
    if (!escaped) return std::nullopt;
    return Member{{{*escaped, *escaped}}, true};
  }

  void set() {
    const bool negated = take(U"^");
    Ranges ranges;
    while (!done() && peek() != ']') {
      auto first = set_member();
      if (!first) return;
      if (first->single && peek() == '-' && peek(1) != ']' && at_ + 1 < source_.size()) {
        ++at_;
        const auto last = set_member();
        if (!last) return;
        if (!last->single || last->ranges[0].to < first->ranges[0].from) {
          return fail("schema.pattern.range");
        }
        first->ranges[0].to = last->ranges[0].to;
      }
      ranges.insert(ranges.end(), first->ranges.begin(), first->ranges.end());
    }
    if (!take(U"]")) return fail("schema.pattern.bracket");
    append_class(out_, ranges, negated);
  }

  std::u32string source_;
  size_t at_ = 0;
  std::wstring out_;
  std::string error_;  // a key of the text table
};

}  // namespace

std::expected<std::wstring, std::string> translate_pattern(std::string_view source) {
  return Translator(source).run();
}

}  // namespace helve::schema
