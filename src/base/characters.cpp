#include "base/characters.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

#include "base/check.h"
#include "base/text.h"

namespace helve {
namespace {

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool is_ascii_letter(char32_t c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

bool is_ascii(char byte) { return (byte & 0x80) == 0; }

void append_folded(std::string& out, std::string_view part) {
  constexpr auto kOptions = static_cast<utf8proc_option_t>(
      UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(part.data()),
                   static_cast<utf8proc_ssize_t>(part.size()), &made, kOptions);
  HELVE_CHECK(size >= 0);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
  out.append(reinterpret_cast<const char*>(made), static_cast<size_t>(size));
}

// ASCII never joins what stands before it, so that only the rest, each piece with the one character
// that its marks may join, has to go the long way.
std::string fold_valid(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    size_t plain = at;
    while (plain < text.size() && is_ascii(text[plain])) ++plain;
    const bool last = plain == text.size();
    if (!last && plain > at) --plain;
    out += lower_ascii(text.substr(at, plain - at));
    if (last) break;
    size_t end = plain + 1;
    while (end < text.size() && !is_ascii(text[end])) ++end;
    append_folded(out, text.substr(plain, end - plain));
    at = end;
  }
  return out;
}

}  // namespace

bool is_letter(char32_t c) {
  if (c < 0x80) return is_ascii_letter(c);
  const utf8proc_category_t kind = category(c);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool is_mark(char32_t c) {
  if (c < 0x80) return false;
  const utf8proc_category_t kind = category(c);
  return kind >= UTF8PROC_CATEGORY_MN && kind <= UTF8PROC_CATEGORY_ME;
}

// The first eleven categories.
bool is_word(char32_t c) {
  if (c < 0x80) return (c >= '0' && c <= '9') || is_ascii_letter(c);
  const utf8proc_category_t kind = category(c);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_NO;
}

bool is_symbol(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return kind >= UTF8PROC_CATEGORY_SM && kind <= UTF8PROC_CATEGORY_SO;
}

bool is_blank(char32_t c) {
  if (c < 0x80) return c <= 0x20 || c == 0x7F;
  const utf8proc_category_t kind = category(c);
  return (kind >= UTF8PROC_CATEGORY_ZS && kind <= UTF8PROC_CATEGORY_CC) || c == 0xFEFF;
}

std::string folded(std::string_view text) {
  return is_utf8(text) ? fold_valid(text) : fold_valid(to_utf8(text));
}

}  // namespace helve
