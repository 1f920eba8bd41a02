// The ranking of CN-96 and CN-97, as it is described there.
#include <algorithm>

#include "base/text.h"
#include "tool/testing/search_catalog.h"

namespace helve::tool {
namespace {

bool has_word(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

// Maximal runs of [a-z0-9].
std::vector<std::string> ascii_words(std::string_view lowered) {
  std::vector<std::string> words(1);
  for (const char c : lowered) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

struct Schema {
  std::vector<std::string> names, texts;
};

void collect(const Json& schema, Schema& out) {
  if (const Json* properties = find(schema, "properties"); properties && properties->is_object()) {
    for (const auto& [name, property] : properties->get_object()) {
      out.names.push_back(lower_ascii(name));
      if (const auto text = find_text(property, "description"))
        out.texts.push_back(lower_ascii(*text));
      collect(property, out);
    }
  }
  for (const char* key : {"items", "additionalProperties"}) {
    if (const Json* part = find(schema, key)) collect(*part, out);
  }
  for (const char* key : {"allOf", "anyOf", "oneOf"}) {
    const Json* choices = find(schema, key);
    if (choices == nullptr || !choices->is_array()) continue;
    for (const Json& choice : choices->get_array()) collect(choice, out);
  }
}

double word_or_part(std::string_view text, const std::string& term, double word, double part) {
  if (has_word(ascii_words(text), term)) return word;
  return text.contains(term) ? part : 0;
}

double score_of_term(const std::string& name, const std::string& label, const std::string& text,
                     const Schema& schema, const std::string& term) {
  double score = word_or_part(name, term, 40, 20) + word_or_part(label, term, 30, 15);
  if (text.contains(term)) score += 16;
  score += word_or_part(join(schema.names, " "), term, 12, 6);
  return score + (join(schema.texts, " ").contains(term) ? 6 : 0);
}

double baseline_score(const Candidate& candidate, const std::string& query) {
  if (query.empty()) return 0;
  const std::string name = lower_ascii(candidate.name);
  const std::string label = candidate.title.empty() ? name : lower_ascii(candidate.title);
  const std::string text = lower_ascii(candidate.description);
  Schema schema;
  if (candidate.input != nullptr) collect(*candidate.input, schema);
  double score = (name == query ? 500 : 0) + (label == query ? 300 : 0);
  score += (name.contains(query) ? 120 : 0) + (label.contains(query) ? 100 : 0);
  score += text.contains(query) ? 60 : 0;
  for (const std::string& term : ascii_words(query)) {
    score += score_of_term(name, label, text, schema, term);
  }
  return score;
}

}  // namespace

std::vector<Match> baseline_search(std::span<const Candidate> candidates, std::string_view query,
                                   size_t limit) {
  std::vector<Match> matches;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const double score = baseline_score(candidates[i], lower_ascii(trim(query)));
    if (score > 0) matches.push_back({i, score});
  }
  std::ranges::sort(matches, [&](const Match& a, const Match& b) {
    if (a.score != b.score) return a.score > b.score;
    return candidates[a.index].name < candidates[b.index].name;
  });
  if (matches.size() > limit) matches.resize(limit);
  return matches;
}

}  // namespace helve::tool
