#include "tool/search.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "base/words.h"
#include "tool/detail/search_index.h"
#include "tool/detail/search_match.h"

namespace helve::tool {
namespace {

// By field, in the order of Field.
constexpr std::array<double, kFields> kWeights = {5, 4, 3, 1.8, 1.5, 0.7};

constexpr double kRepeated = 0.3;

// Far above any sum of words, so that these come first whatever the words say.
constexpr double kNameItself = 4000, kNameInOtherCase = 3000, kWordsOfName = 2000,
                 kWordsOfTitle = 1000;

struct Query {
  std::string text;                // trimmed, ASCII in lower case
  std::vector<std::string> words;  // all of them
  std::vector<Term> terms;         // without noise where something else remains; each once
  std::string phrase;              // empty for a single term
};

Query read_query(std::string_view text) {
  Query query = {.text = lower_ascii(text), .words = search_words(text)};
  std::vector<std::string> telling = query.words;
  std::erase_if(telling, [](const std::string& word) { return is_noise(word); });
  for (const std::string& word : telling.empty() ? query.words : telling) {
    Term term = term_of(word);
    const bool known =
        std::ranges::any_of(query.terms, [&](const Term& t) { return t.stem == term.stem; });
    if (!known) query.terms.push_back(std::move(term));
  }
  if (telling.size() > 1) {
    query.phrase = " ";
    for (const std::string& word : telling) query.phrase += in_phrase(word);
  }
  return query;
}

using Likenesses = std::vector<std::array<double, kFields>>;  // by candidate and field

// Only a word that nobody knows may be a mistyped one.
std::vector<double> compare(const Term& term, const SearchIndex& index) {
  std::vector<double> out;
  for (const Entry& entry : index.entries()) out.push_back(likeness(term, entry.term));
  if (std::ranges::any_of(out, [](double like) { return like >= kSameWord; })) return out;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = std::max(out[i], likeness_with_typo(term, index.entries()[i].term));
  }
  return out;
}

Likenesses best_by_field(const Term& term, const SearchIndex& index, size_t candidates) {
  Likenesses best(candidates);
  const std::vector<double> likenesses = compare(term, index);
  for (size_t i = 0; i < likenesses.size(); ++i) {
    if (likenesses[i] <= 0) continue;
    for (const Place& place : index.entries()[i].places) {
      double& known = best[place.candidate][place.field];
      known = std::max(known, likenesses[i]);
    }
  }
  return best;
}

// How much it says that a tool has the word: less, the more of them do (as in BM25).
double rarity(const std::vector<double>& best) {
  const double top = std::ranges::max(best);
  const double least = top >= kSameWord ? kSameWord : top * 0.5;
  const auto having = static_cast<double>(
      std::ranges::count_if(best, [least](double like) { return like > 0 && like >= least; }));
  return std::log(1 + (static_cast<double>(best.size()) - having + 0.5) / (having + 0.5));
}

// What name, title and description repeat counts little beyond the strongest of them.
double points_of(const std::array<double, kFields>& likenesses, const SearchIndex& index,
                 size_t candidate) {
  double sum = 0, strongest = 0;
  for (size_t field = 0; field < kFields; ++field) {
    if (likenesses[field] <= 0) continue;
    const double brevity = index.brevity({candidate, static_cast<Field>(field)});
    const double points = kWeights[field] * likenesses[field] * brevity;
    sum += points;
    strongest = std::max(strongest, points);
  }
  return strongest + kRepeated * (sum - strongest);
}

struct Tally {
  double points = 0;   // of the words found
  double covered = 0;  // of the query, weighed by rarity
};

// `total` grows by what a candidate can cover.
void count_term(const Term& term, const SearchIndex& index, std::vector<Tally>& tallies,
                double& total) {
  const Likenesses likenesses = best_by_field(term, index, tallies.size());
  std::vector<double> best;
  for (const auto& fields : likenesses) best.push_back(std::ranges::max(fields));
  if (std::ranges::max(best) <= 0) return;  // nobody has it: it tells nothing
  const double weight = rarity(best);
  total += weight;
  for (size_t i = 0; i < tallies.size(); ++i) {
    tallies[i].covered += weight * best[i];
    tallies[i].points += weight * points_of(likenesses[i], index, i);
  }
}

double phrase_factor(const Query& query, const SearchIndex& index, size_t candidate) {
  if (query.phrase.empty()) return 1;
  const auto has = [&](Field field) {
    return index.phrase({candidate, field}).contains(query.phrase);
  };
  if (has(kName) || has(kTitle) || has(kKeywords)) return 1.4;
  return has(kDescription) ? 1.25 : 1;
}

double bonus_of_names(const Query& query, std::string_view trimmed, const Candidate& candidate) {
  if (query.text.empty()) return 0;
  if (candidate.name == trimmed) return kNameItself;
  if (lower_ascii(candidate.name) == query.text) return kNameInOtherCase;
  if (query.words.empty()) return 0;
  if (search_words(candidate.name) == query.words) return kWordsOfName;
  return search_words(candidate.title) == query.words ? kWordsOfTitle : 0;
}

}  // namespace

std::vector<Match> search(std::span<const Candidate> candidates, std::string_view query,
                          size_t limit) {
  const std::string_view trimmed = trim(query);
  const Query asked = read_query(trimmed);
  const SearchIndex index(candidates);
  std::vector<Tally> tallies(candidates.size());
  double total = 0;
  if (!candidates.empty()) {
    for (const Term& term : asked.terms) count_term(term, index, tallies, total);
  }
  std::vector<Match> matches;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const double coverage = total > 0 ? tallies[i].covered / total : 0;
    const double words =
        tallies[i].points * (0.2 + 0.8 * coverage) * phrase_factor(asked, index, i);
    const double score = words + bonus_of_names(asked, trimmed, candidates[i]);
    if (score > 0) matches.push_back({i, score});
  }
  std::ranges::sort(matches, [&](const Match& a, const Match& b) {
    if (a.score != b.score) return a.score > b.score;
    const std::string_view x = candidates[a.index].name, y = candidates[b.index].name;
    return x != y ? x < y : a.index < b.index;
  });
  if (matches.size() > limit) matches.resize(limit);
  return matches;
}

}  // namespace helve::tool
