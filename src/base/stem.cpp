// The first and last steps of Porter's stemmer (1980), which take off what inflects and leave what
// derives: "uploads" meets "uploading", "notify" does not become "notifications".
#include <algorithm>
#include <array>

#include "base/words.h"

namespace helve {
namespace {

constexpr std::array<std::string_view, 6> kNoPlurals = {"alias",  "atlas", "bias",
                                                        "canvas", "lens",  "news"};

bool is_vowel(std::string_view word, size_t at) {
  if (std::string_view("aeiou").contains(word[at])) return true;
  return word[at] == 'y' && at > 0 && !is_vowel(word, at - 1);
}

bool has_vowel(std::string_view word) {
  for (size_t i = 0; i < word.size(); ++i) {
    if (is_vowel(word, i)) return true;
  }
  return false;
}

// Porter's m: how often a vowel is followed by a consonant.
int measure(std::string_view word) {
  int turns = 0;
  for (size_t i = 1; i < word.size(); ++i) turns += is_vowel(word, i - 1) && !is_vowel(word, i);
  return turns;
}

// Consonant, vowel, consonant at the end: a word that has lost an e, as "writ" and "nam".
bool ends_short(std::string_view word) {
  const size_t n = word.size();
  return n >= 3 && !is_vowel(word, n - 3) && is_vowel(word, n - 2) && !is_vowel(word, n - 1) &&
         !std::string_view("wxy").contains(word[n - 1]);
}

void drop_plural(std::string& word) {
  if (word.size() < 4 || !word.ends_with('s') || std::ranges::count(kNoPlurals, word) != 0) return;
  for (const std::string_view kept : {"ss", "us", "is"}) {
    if (word.ends_with(kept)) return;
  }
  word.resize(word.size() - (word.ends_with("sses") || word.ends_with("ies") ? 2 : 1));
}

// "logg" is "log", "writ" is "write"; "add" and "call" stay.
void mend(std::string& word) {
  const size_t n = word.size();
  if (n > 3 && word[n - 1] == word[n - 2] && !std::string_view("lszaeiou").contains(word[n - 1])) {
    word.pop_back();
  } else if (ends_short(word) && measure(word) == 1) {
    word += 'e';
  }
}

void drop_ending(std::string& word) {
  if (word.ends_with("eed")) return;
  const size_t size = word.ends_with("ing") ? 3 : word.ends_with("ed") ? 2 : 0;
  if (size == 0 || word.size() < size + 3) return;
  const std::string rest = word.substr(0, word.size() - size);
  if (!has_vowel(rest)) return;
  word = rest;
  mend(word);
}

void drop_final(std::string& word) {
  if (word.size() < 5) return;
  const std::string rest = word.substr(0, word.size() - 1);
  if (word.ends_with('y') && !is_vowel(word, word.size() - 2)) {
    word.back() = 'i';
  } else if (word.ends_with('e') &&
             (measure(rest) > 1 || (measure(rest) == 1 && !ends_short(rest)))) {
    word = rest;
  }
}

}  // namespace

std::string stem(std::string_view word) {
  std::string out(word);
  if (!std::ranges::all_of(word, [](char c) { return c >= 'a' && c <= 'z'; })) return out;
  drop_plural(out);
  drop_ending(out);
  drop_final(out);
  return out;
}

}  // namespace helve
