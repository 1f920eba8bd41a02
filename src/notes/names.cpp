#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "base/characters.h"
#include "base/text.h"
#include "diff/lines.h"
#include "notes/detail/blocks.h"
#include "notes/markdown.h"
#include "notes/query.h"

namespace helve::notes {
namespace {

constexpr std::size_t kLongestSlug = 60;  // bytes
constexpr std::string_view kIdMark = "--";

bool is_plain(char32_t c) { return c < 0x80 && is_word(c); }

// A letter that is one of ASCII but for its accents, or several of them; else "".
std::string in_ascii(char32_t letter) {
  std::array<utf8proc_int32_t, 32> parts{};
  constexpr auto kOptions =
      static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD);
  int boundary = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(letter), parts.data(),
                              static_cast<utf8proc_ssize_t>(parts.size()), kOptions, &boundary);
  std::string out;
  for (std::size_t i = 0; i < static_cast<std::size_t>(std::max<utf8proc_ssize_t>(count, 0)); ++i) {
    if (i == parts.size()) return "";
    const auto c = static_cast<char32_t>(parts[i]);
    if (is_mark(c)) continue;
    if (!is_plain(c)) return "";
    append_utf8(out, c);
  }
  return out;
}

// What of a slug stands for the character; "": a place for a dash.
std::string slug_part(char32_t c, std::string_view before) {
  std::string out;
  if (is_word(c)) out = in_ascii(c);
  const bool accent = is_mark(c) && (before.empty() || (before.back() & 0x80) == 0);
  if (out.empty() && is_word(c) && !accent) append_utf8(out, c);
  return out;
}

std::string slug_of(std::string_view title) {
  const std::string key = search_key(title);
  std::string slug;
  bool gap = false;
  for (std::size_t at = 0; at < key.size();) {
    const std::string part = slug_part(next_code_point(key, at), slug);
    if (part.empty()) {
      gap = true;
      continue;
    }
    if (gap && !slug.empty()) slug += '-';
    gap = false;
    slug += part;
    if (slug.size() > kLongestSlug) break;
  }
  slug.resize(utf8_floor(slug, kLongestSlug));
  if (slug.ends_with('-')) slug.pop_back();
  return slug;
}

std::string_view first_heading(std::string_view body) {
  Blocks blocks;
  for (const std::string_view line : diff::lines_of(body)) {
    if (blocks.kind_of(line) != LineKind::kHeading) continue;
    if (const std::string_view text = heading_text(line); !text.empty()) return text;
  }
  return "";
}

std::string_view stem_of(std::string_view file_name) {
  std::string_view name = file_name.substr(file_name.rfind('/') + 1);
  for (const std::string_view ending : {".md", ".markdown"}) {
    if (name.size() > ending.size() && lower_ascii(name).ends_with(ending)) {
      name.remove_suffix(ending.size());
    }
  }
  const std::size_t mark = name.rfind(kIdMark);
  if (mark == std::string_view::npos || mark == 0) return name;
  return parse_ref(name.substr(mark + kIdMark.size())) ? name.substr(0, mark) : name;
}

}  // namespace

std::string title_for(std::string_view body, std::string_view file_name) {
  std::string title = flatten_controls(first_heading(body));
  if (trim(title).empty()) title = flatten_controls(stem_of(file_name));
  return std::string(trim(title));
}

std::string file_name_for(std::string_view title, std::string_view id) {
  std::string name = slug_of(title);
  if (name.empty()) name = "note";
  return name.append(kIdMark).append(id).append(".md");
}

}  // namespace helve::notes
