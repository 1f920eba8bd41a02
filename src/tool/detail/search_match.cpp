#include "tool/detail/search_match.h"

#include <algorithm>
#include <array>

#include "base/words.h"

namespace helve::tool {
namespace {

constexpr double kSameMeaning = 0.45;
constexpr double kTypo = 0.5;

// What tools do, as stems: whoever asks to kill a job means job_stop.
constexpr std::array<std::u32string_view, 8> kMeanings[] = {
    {U"delet", U"remov", U"eras", U"drop", U"purg", U"destroi"},
    {U"edit", U"chang", U"modifi", U"updat", U"alter", U"correct"},
    {U"creat", U"add", U"new", U"make", U"write"},
    {U"search", U"find", U"lookup", U"grep", U"queri"},
    {U"list", U"show", U"displai", U"view", U"print"},
    {U"send", U"post", U"publish", U"share"},
    {U"fetch", U"download", U"get", U"retriev"},
    {U"stop", U"kill", U"cancel", U"abort", U"termin"},
    {U"run", U"execut", U"start", U"launch"},
    {U"deploi", U"releas", U"rollout", U"ship"},
    {U"back", U"backup", U"dump", U"snapshot"},
};

bool is_hangul(char32_t c) { return c >= 0xAC00 && c <= 0xD7A3; }

bool is_ascii(std::u32string_view word) {
  return std::ranges::all_of(word, [](char32_t c) { return c < 0x80; });
}

double share(size_t part, size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

bool same_meaning(std::u32string_view a, std::u32string_view b) {
  return std::ranges::any_of(kMeanings, [&](const auto& group) {
    return std::ranges::count(group, a) != 0 && std::ranges::count(group, b) != 0;
  });
}

size_t common_beginning(std::u32string_view a, std::u32string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// What two forms of a word must share at the front: languages that inflect more than English
// differ in several letters at the end, and a syllable of Hangul is two or three letters.
bool share_root(std::u32string_view a, std::u32string_view b) {
  const size_t common = common_beginning(a, b);
  const double part = share(common, std::max(a.size(), b.size()));
  if (is_hangul(a.front())) return common >= 2 && part >= 0.4;
  return is_ascii(a) ? common >= 5 && part >= 0.7 : common >= 4 && part >= 0.5;
}

double likeness_of_beginnings(const Term& asked, const Term& found) {
  const size_t least = is_hangul(asked.text.front()) ? 2 : 3;
  for (const std::u32string& form : {asked.text, asked.stem}) {
    if (form.size() >= least && found.text.starts_with(form)) {
      return 0.5 + 0.35 * share(form.size(), found.text.size());
    }
  }
  const double part = share(found.stem.size(), asked.text.size());
  if (found.stem.size() > least && part >= 0.6 && asked.text.starts_with(found.stem)) return 0.45;
  return share_root(asked.text, found.text) ? 0.4 : 0;
}

}  // namespace

double likeness(const Term& asked, const Term& found) {
  if (asked.text == found.text) return 1;
  if (asked.stem == found.stem) return kSameWord;
  if (is_unspaced(asked.text.front())) {
    // Pairs agree or do not; a character alone is a word that may be part of longer ones.
    return asked.text.size() == 1 && found.text.contains(asked.text.front()) ? 0.6 : 0;
  }
  const double beginnings = likeness_of_beginnings(asked, found);
  return same_meaning(asked.stem, found.stem) ? std::max(beginnings, kSameMeaning) : beginnings;
}

double likeness_with_typo(const Term& asked, const Term& found) {
  std::u32string_view a = asked.text;
  std::u32string_view b = found.text;
  if (a.size() < 5 || b.size() < 4 || is_unspaced(a.front())) return 0;
  const size_t front = common_beginning(a, b);
  a.remove_prefix(front);
  b.remove_prefix(front);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  const bool swapped = a.size() == 2 && b.size() == 2 && a[0] == b[1] && a[1] == b[0];
  return swapped || (a.size() <= 1 && b.size() <= 1) ? kTypo : 0;
}

}  // namespace helve::tool
