#include "tool/detail/search_index.h"

#include <algorithm>

#include "base/text.h"
#include "base/words.h"

namespace helve::tool {
namespace {

constexpr size_t kDeepestSchema = 16;
constexpr size_t kMostSchemaNodes = 2000;
constexpr WordLimits kFieldLimits = {.bytes = 16 << 10, .words = 2000};

// English, German, French, Spanish and Russian. Verbs stay: tools are told apart by them.
constexpr std::string_view kNoise[] = {
    "all",   "am",     "an",   "and",   "any",   "are",   "as",    "at",    "be",    "by",
    "can",   "could",  "do",   "does",  "for",   "from",  "has",   "have",  "how",   "in",
    "into",  "is",     "it",   "its",   "me",    "my",    "need",  "of",    "on",    "or",
    "our",   "please", "some", "that",  "the",   "their", "them",  "there", "these", "this",
    "those", "to",     "tool", "tools", "us",    "want",  "was",   "we",    "what",  "where",
    "which", "will",   "with", "would", "you",   "your",  "bitte", "das",   "dem",   "den",
    "der",   "die",    "ein",  "eine",  "einen", "fur",   "ich",   "im",    "mit",   "und",
    "von",   "zu",     "zum",  "de",    "la",    "le",    "les",   "pour",  "un",    "une",
    "el",    "las",    "los",  "para",  "una",   "для",   "из",    "как",   "мне",   "мой",
    "на",    "не",     "по",   "это"};

constexpr std::string_view kParts[] = {"items", "additionalProperties"};
constexpr std::string_view kChoices[] = {"allOf", "anyOf", "oneOf"};

// A Han character is a word, a letter of an alphabet or a particle of Hiragana is not.
bool is_lone_letter(std::string_view word) {
  size_t at = 0;
  const char32_t first = next_code_point(word, at);
  const bool hiragana = first >= 0x3041 && first <= 0x309F;
  return count_characters(word) == 1 && (hiragana || !is_unspaced(first));
}

}  // namespace

Term term_of(std::string_view word) {
  Term term;
  for (size_t at = 0; at < word.size();) term.text += next_code_point(word, at);
  const std::string root = stem(word);
  for (size_t at = 0; at < root.size();) term.stem += next_code_point(root, at);
  return term;
}

bool is_noise(std::string_view word) {
  return std::ranges::find(kNoise, word) != std::end(kNoise) || is_lone_letter(word);
}

std::string in_phrase(std::string_view word) {
  return is_noise(word) ? std::string() : stem(word) + ' ';
}

SearchIndex::SearchIndex(std::span<const Candidate> candidates) {
  documents_.reserve(candidates.size());
  for (const Candidate& candidate : candidates) read(candidate);
  for (size_t field = 0; field < kFields; ++field) {
    double words = 0, having = 0;
    for (const Document& document : documents_) {
      words += static_cast<double>(document.words[field]);
      having += document.words[field] > 0 ? 1 : 0;
    }
    averages_[field] = having > 0 ? words / having : 1;
  }
}

double SearchIndex::brevity(Place place) const {
  const auto words = static_cast<double>(documents_[place.candidate].words[place.field]);
  return std::max(1 / (0.7 + 0.3 * words / averages_[place.field]), 0.6);
}

const std::string& SearchIndex::phrase(Place place) const {
  return documents_[place.candidate].phrases[place.field];
}

void SearchIndex::read(const Candidate& candidate) {
  documents_.emplace_back();
  schema_nodes_ = 0;
  add(kName, candidate.name);
  const std::string run_together = join(search_words(candidate.name), "");
  if (!run_together.empty()) add_word(kName, run_together);  // so that "notesearch" finds it
  for (const std::string& keyword : candidate.keywords) add(kKeywords, keyword);
  add(kTitle, candidate.title);
  add(kDescription, candidate.description);
  if (candidate.input != nullptr) read_schema(*candidate.input, 0);
}

// Names and descriptions of properties, wherever CN-96 says that a schema may have them.
void SearchIndex::read_schema(const Json& schema, size_t depth) {
  if (depth > kDeepestSchema || ++schema_nodes_ > kMostSchemaNodes || !schema.is_object()) return;
  if (const Json* properties = find(schema, "properties"); properties && properties->is_object()) {
    for (const auto& [name, property] : properties->get_object()) {
      read_property(name, property, depth + 1);
    }
  }
  for (const std::string_view key : kParts) {
    if (const Json* part = find(schema, key)) read_schema(*part, depth + 1);
  }
  for (const std::string_view key : kChoices) {
    const Json* choices = find(schema, key);
    if (choices == nullptr || !choices->is_array()) continue;
    for (const Json& choice : choices->get_array()) read_schema(choice, depth + 1);
  }
}

void SearchIndex::read_property(std::string_view name, const Json& schema, size_t depth) {
  if (schema_nodes_ > kMostSchemaNodes) return;
  add(kPropertyNames, name);
  if (const auto text = find_text(schema, "description")) add(kPropertyTexts, *text);
  read_schema(schema, depth);
}

void SearchIndex::add(Field field, std::string_view text) {
  Document& document = documents_.back();
  std::string& phrase = document.phrases[field];
  phrase += ' ';
  for (const std::string& word : search_words(text, kFieldLimits)) {
    phrase += add_word(field, word).in_phrase;
    ++document.words[field];
  }
}

Entry& SearchIndex::add_word(Field field, const std::string& word) {
  const auto [known, is_new] = ids_.try_emplace(word, entries_.size());
  if (is_new) entries_.push_back({.term = term_of(word), .in_phrase = in_phrase(word)});
  Entry& entry = entries_[known->second];
  std::vector<Place>& places = entry.places;
  const size_t candidate = documents_.size() - 1;
  for (auto p = places.rbegin(); p != places.rend() && p->candidate == candidate; ++p) {
    if (p->field == field) return entry;
  }
  places.push_back({candidate, field});
  return entry;
}

}  // namespace helve::tool
