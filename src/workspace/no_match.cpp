#include "workspace/no_match.h"

#include <algorithm>

#include "base/text.h"
#include "base/texts.h"
#include "workspace/detail/line_ends.h"
#include "workspace/detail/mistakes.h"
#include "workspace/detail/nearest.h"
#include "workspace/match.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kAround = 40;  // bytes shown on either side of a difference
constexpr std::string_view kDigits = "0123456789ABCDEF";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

std::size_t line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
}

std::size_t begin_of_line(std::string_view text, std::size_t at) {
  const std::size_t lf = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return lf == std::string_view::npos ? 0 : lf + 1;
}

// In characters, from 1.
std::size_t column_of(std::string_view text, std::size_t at) {
  const std::size_t begin = begin_of_line(text, at);
  return 1 + count_characters(text.substr(begin, at - begin));
}

// Its line around a place.
std::string excerpt(std::string_view text, std::size_t at) {
  const std::size_t begin = begin_of_line(text, at);
  const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
  const std::size_t from = std::max(begin, utf8_floor(text, at - std::min(at, kAround)));
  const std::size_t to = utf8_floor(text, std::min(end, at + kAround));
  std::string out(from > begin ? kEllipsis : "");
  out += flatten_controls(to_utf8(text.substr(from, to - from)));
  return out.append(to < end ? kEllipsis : "");
}

struct Difference {
  std::size_t in_text = 0, in_old = 0;
};

std::size_t line_end_at(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with("\r\n")) return 2;
  return text.substr(at).starts_with('\n') ? 1 : 0;
}

// The first one from `begin` on that is not one of line ends.
Difference first_difference(std::string_view text, std::size_t begin, std::string_view old_text) {
  Difference at{.in_text = begin};
  while (at.in_old < old_text.size() && at.in_text < text.size()) {
    const std::size_t a = line_end_at(text, at.in_text), b = line_end_at(old_text, at.in_old);
    if ((a == 0) != (b == 0)) return at;
    if (a == 0 && text[at.in_text] != old_text[at.in_old]) break;
    at.in_text += std::max<std::size_t>(a, 1);
    at.in_old += std::max<std::size_t>(b, 1);
  }
  const std::size_t within = at.in_old - utf8_floor(old_text, at.in_old);
  return {at.in_text - std::min(within, at.in_text), at.in_old - within};
}

std::string only_sentence(Only only) {
  switch (only) {
    case Only::kCase:
      return text("edit.near.case");
    case Only::kIndentation:
      return text("edit.near.indentation");
    case Only::kTrailingBlanks:
      return text("edit.near.trailing");
    case Only::kTypography:
      return text("edit.near.typography");
  }
  return "";
}

NoMatch describe(std::string_view body, std::size_t begin, std::string_view old_text) {
  const Difference at = first_difference(body, begin, old_text);
  NoMatch out{.line = line_of(body, at.in_text)};
  if (const auto only = only_difference(body, begin, old_text)) {
    out.sentences = only_sentence(*only) + ' ';
  }
  out.sentences += text("edit.near.place", {{"line", std::to_string(out.line)},
                                            {"column", std::to_string(column_of(body, at.in_text))},
                                            {"in_file", character_name(body, at.in_text)},
                                            {"in_old", character_name(old_text, at.in_old)},
                                            {"file_line", excerpt(body, at.in_text)},
                                            {"old_line", excerpt(old_text, at.in_old)}});
  return out;
}

// What `old` would be without a usual mistake, and the sentence about it.
struct Corrected {
  std::string text, sentence;
};

std::optional<Corrected> corrected(std::string_view body, std::string_view old_text) {
  if (auto plain = without_line_numbers(old_text)) {
    if (old_text.contains('\n') || find_text_loosely(body, *plain)) {
      return Corrected{std::move(*plain), text("edit.near.numbers")};
    }
  }
  if (auto plain = without_escapes(old_text)) {
    const bool meant =
        !old_text.contains('\n') && find_bytes(body, "\\n", 0) == std::string_view::npos;
    if (meant || find_text_loosely(body, *plain)) {
      return Corrected{std::move(*plain), text("edit.near.escapes")};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string character_name(std::string_view body, std::size_t at) {
  if (at >= body.size()) return text("edit.char.end");
  std::size_t next = at;
  const char32_t c = next_code_point(body, next);
  const std::string_view bytes = body.substr(at, next - at);
  if (c == U'\xFFFD' && bytes != "\xEF\xBF\xBD") {
    const auto byte = static_cast<unsigned char>(body[at]);
    return text("edit.char.byte", {{"byte", {'0', 'x', kDigits[byte >> 4U], kDigits[byte & 15U]}}});
  }
  std::string code;
  for (unsigned shift = c > 0xFFFF ? 20 : 12;; shift -= 4) {
    code += kDigits[(c >> shift) & 15U];
    if (shift == 0) break;
  }
  const std::string key = "edit.char." + lower_ascii("u" + code);
  if (has_text(key)) return text(key);
  const Texts args{{"character", flatten_controls(bytes)}, {"code", code}};
  return text(c < 0x20 || (c >= 0x7F && c < 0xA0) ? "edit.char.control" : "edit.char.other", args);
}

NoMatch explain_no_match(std::string_view body, std::string_view old_text) {
  std::string first;
  const auto better = corrected(body, old_text);
  if (better) {
    if (const auto at = find_text_loosely(body, better->text)) {
      const std::size_t line = line_of(body, *at);
      return {better->sentence + ' ' + text("edit.near.then", {{"line", std::to_string(line)}}),
              line};
    }
    first = better->sentence + ' ';
    old_text = better->text;
  }
  const auto begin = nearest_place(body, old_text);
  if (!begin) return {first + text("edit.near.none")};
  NoMatch out = describe(body, *begin, old_text);
  out.sentences.insert(0, first);
  return out;
}

}  // namespace helve::workspace
