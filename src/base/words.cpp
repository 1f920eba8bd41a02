#include "base/words.h"

#include <utf8proc.h>

#include <algorithm>

#include "base/characters.h"
#include "base/text.h"

namespace helve {
namespace {

constexpr size_t kLongestWord = 64;  // code points

struct Range {
  char32_t first, last;
  int script;
};

// Kana and Han are told apart: the stem of a Japanese verb is Han, what inflects is Hiragana.
constexpr int kHan = 1, kHiragana = 2, kKatakana = 3, kThai = 4, kLao = 5, kMyanmar = 6, kKhmer = 7;
constexpr Range kUnspaced[] = {
    {0x0E00, 0x0E7F, kThai},       {0x0E80, 0x0EFF, kLao},      {0x1000, 0x109F, kMyanmar},
    {0x1780, 0x17FF, kKhmer},      {0x2E80, 0x2FDF, kHan},      {0x3005, 0x3007, kHan},
    {0x3021, 0x3029, kHan},        {0x3038, 0x303B, kHan},      {0x3041, 0x309F, kHiragana},
    {0x30A0, 0x30FF, kKatakana},   {0x31F0, 0x31FF, kKatakana}, {0x3400, 0x4DBF, kHan},
    {0x4E00, 0x9FFF, kHan},        {0xA9E0, 0xA9FF, kMyanmar},  {0xAA60, 0xAA7F, kMyanmar},
    {0xF900, 0xFAFF, kHan},        {0xFF66, 0xFF9F, kKatakana}, {0x1AFF0, 0x1B122, kKatakana},
    {0x1B132, 0x1B167, kKatakana}, {0x20000, 0x3FFFF, kHan},
};

// 0 for scripts that write blanks.
int unspaced_script(char32_t c) {
  if (c < kUnspaced[0].first) return 0;
  const auto* const range = std::ranges::lower_bound(kUnspaced, c, {}, &Range::last);
  return range != std::end(kUnspaced) && c >= range->first ? range->script : 0;
}

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

// Soft hyphens and joiners stand inside words.
bool is_invisible(char32_t c) { return c >= 0x80 && category(c) == UTF8PROC_CATEGORY_CF; }

bool is_upper(char32_t c) {
  return c < 0x80 ? c >= 'A' && c <= 'Z' : category(c) == UTF8PROC_CATEGORY_LU;
}
bool is_lower_ascii(char32_t c) { return c >= 'a' && c <= 'z'; }
bool is_lower(char32_t c) {
  return c < 0x80 ? is_lower_ascii(c) : category(c) == UTF8PROC_CATEGORY_LL;
}
bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }

// Whether camelCase begins a part at `at`: "channelRead", "HTTPServer", "sha256Sum"; not "URLs".
bool begins_part(std::u32string_view run, size_t at) {
  if (!is_upper(run[at])) return false;
  if (is_lower(run[at - 1])) return true;
  if (!is_upper(run[at - 1]) && !is_digit(run[at - 1])) return false;
  if (at + 1 == run.size() || !is_lower(run[at + 1])) return false;
  const bool one_lower = at + 2 == run.size() || !is_lower(run[at + 2]);
  return !(one_lower && run[at + 1] == 's');
}

// A base whose accents are left out in searches.
bool loses_marks(char32_t base) {
  return base < 0x250 || (base >= 0x370 && base < 0x400) || (base >= 0x1E00 && base < 0x2000);
}

std::vector<utf8proc_int32_t> decompose(std::u32string_view part) {
  std::string bytes;
  for (const char32_t c : part) append_utf8(bytes, c);
  constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT |
                                                           UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  const auto* const data = reinterpret_cast<const utf8proc_uint8_t*>(bytes.data());
  const auto size = static_cast<utf8proc_ssize_t>(bytes.size());
  std::vector<utf8proc_int32_t> out(part.size() * 4);
  for (;;) {
    const auto room = static_cast<utf8proc_ssize_t>(out.size());
    const utf8proc_ssize_t used = utf8proc_decompose(data, size, out.data(), room, kOptions);
    out.resize(static_cast<size_t>(std::max<utf8proc_ssize_t>(used, 0)));
    if (used <= room) return out;
  }
}

void drop_accents(std::vector<utf8proc_int32_t>& text) {
  constexpr char32_t kCyrillicIe = 0x435, kDiaeresis = 0x308;  // readers write either for U+0451
  char32_t base = 0x2000;
  std::erase_if(text, [&base](utf8proc_int32_t code) {
    const auto c = static_cast<char32_t>(code);
    if (!is_mark(c)) {
      base = c;
      return false;
    }
    return base == kCyrillicIe ? c == kDiaeresis : loses_marks(base);
  });
}

std::u32string fold(std::u32string_view part) {
  std::u32string out(part);
  if (std::ranges::all_of(part, [](char32_t c) { return c < 0x80; })) {
    for (char32_t& c : out) c = is_upper(c) ? c + 0x20 : c;
    return out;
  }
  std::vector<utf8proc_int32_t> text = decompose(part);
  drop_accents(text);
  const utf8proc_ssize_t size = utf8proc_normalize_utf32(
      text.data(), static_cast<utf8proc_ssize_t>(text.size()), UTF8PROC_COMPOSE);
  text.resize(static_cast<size_t>(std::max<utf8proc_ssize_t>(size, 0)));
  return {text.begin(), text.end()};
}

std::string encode(std::u32string_view word) {
  std::string out;
  for (const char32_t c : word.substr(0, kLongestWord)) append_utf8(out, c);
  return out;
}

class Collector {
 public:
  explicit Collector(size_t limit) : limit_(limit) {}

  bool full() const { return words_.size() >= limit_; }
  std::vector<std::string> take() { return std::move(words_); }

  // A run of letters and digits as it was written.
  void add_run(std::u32string_view run) {
    if (run.empty()) return;
    if (std::ranges::all_of(run, [](char32_t c) { return is_lower_ascii(c) || is_digit(c); })) {
      words_.emplace_back(encode(run));  // most words by far: nothing to fold or to cut
      return;
    }
    size_t start = 0;
    for (size_t i = 1; i < run.size() && !full(); ++i) {
      if (!begins_part(run, i)) continue;
      add_folded(fold(run.substr(start, i - start)));
      start = i;
    }
    add_folded(fold(run.substr(start)));
    if (start > 0) add_folded(fold(run));
  }

 private:
  // Folding may have brought blanks and other scripts into the part.
  void add_folded(std::u32string_view part) {
    for (size_t at = 0; at < part.size();) {
      const int script = unspaced_script(part[at]);
      size_t end = at;
      while (end < part.size() && is_word(part[end]) &&
             (is_mark(part[end]) || unspaced_script(part[end]) == script)) {
        ++end;
      }
      add_piece(part.substr(at, end - at), script);
      at = std::max(end, at + 1);
    }
  }

  void add_piece(std::u32string_view piece, int script) {
    if (script != 0) {
      add_pairs(piece);
    } else if (!piece.empty() && !full()) {
      words_.push_back(encode(piece));
    }
  }

  // A character is a base with its marks.
  void add_pairs(std::u32string_view piece) {
    std::vector<size_t> starts;
    for (size_t i = 0; i < piece.size(); ++i) {
      if (starts.empty() || !is_mark(piece[i])) starts.push_back(i);
    }
    starts.push_back(piece.size());
    const size_t last = starts.size() - 1;
    for (size_t i = 0; i + 2 <= std::max<size_t>(last, 2) && !full(); ++i) {
      const size_t end = starts[std::min(i + 2, last)];
      if (end > starts[i]) words_.push_back(encode(piece.substr(starts[i], end - starts[i])));
    }
  }

  size_t limit_;
  std::vector<std::string> words_;
};

}  // namespace

std::vector<std::string> search_words(std::string_view text, WordLimits limits) {
  if (text.size() > limits.bytes) text = text.substr(0, utf8_floor(text, limits.bytes));
  Collector words(limits.words);
  std::u32string run;
  for (size_t at = 0; at < text.size() && !words.full();) {
    const char32_t c = next_code_point(text, at);
    if (is_invisible(c)) continue;
    if (is_word(c)) {
      run += c;
    } else {
      words.add_run(run);
      run.clear();
    }
  }
  if (!words.full()) words.add_run(run);
  return words.take();
}

bool is_unspaced(char32_t character) { return unspaced_script(character) != 0; }

}  // namespace helve
