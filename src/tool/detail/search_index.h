// tool/detail/search_index.h
//
// The words of all candidates of one search, each with the places where it stands. What a query's
// word makes of them is in search_match.h, the score in search.cpp. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tool/search.h"

namespace helve::tool {

enum Field : size_t {
  kName,
  kKeywords,
  kTitle,
  kPropertyNames,
  kDescription,
  kPropertyTexts,
  kFields  // how many
};

// A word in code points, so that letters can be counted, with its stem.
struct Term {
  std::u32string text, stem;
};
Term term_of(std::string_view word);

// Words that say nothing about a tool: articles and the like, and single letters.
bool is_noise(std::string_view word);

// What a word adds to a phrase: its stem and a blank, or nothing for noise. A phrase begins with a
// blank, so that whole words of one are found in another.
std::string in_phrase(std::string_view word);

struct Place {
  size_t candidate;
  Field field;
};

struct Entry {
  Term term;
  std::string in_phrase;
  std::vector<Place> places;  // each once
};

class SearchIndex {
 public:
  explicit SearchIndex(std::span<const Candidate> candidates);

  const std::vector<Entry>& entries() const { return entries_; }
  // From 0.6 to 1.2: a field that is longer than the same field of others weighs less.
  double brevity(Place place) const;
  // The words of a field in their order, as in_phrase() gives them.
  const std::string& phrase(Place place) const;

 private:
  struct Document {
    std::array<size_t, kFields> words{};
    std::array<std::string, kFields> phrases;
  };

  void read(const Candidate& candidate);
  void read_schema(const Json& schema, size_t depth);
  void read_property(std::string_view name, const Json& schema, size_t depth);
  void add(Field field, std::string_view text);
  Entry& add_word(Field field, const std::string& word);

  std::vector<Entry> entries_;
  std::unordered_map<std::string, size_t> ids_;  // word to entry
  std::vector<Document> documents_;
  std::array<double, kFields> averages_{};
  size_t schema_nodes_ = 0;  // of the candidate that is being read
};

}  // namespace helve::tool
