// The words of any bytes are few, short, folded UTF-8, and a search for them finds what has them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "base/words.h"
#include "tool/search.h"

namespace {

size_t characters(std::string_view word) {
  size_t count = 0;
  for (size_t at = 0; at < word.size(); ++count) helve::next_code_point(word, at);
  return count;
}

void check_words(std::string_view text) {
  const std::vector<std::string> words = helve::search_words(text);
  HELVE_CHECK(words.size() <= 64);
  for (const std::string& word : words) {
    HELVE_CHECK(!word.empty() && characters(word) <= 64);
    HELVE_CHECK(helve::is_utf8(word));
    HELVE_CHECK(helve::lower_ascii(word) == word);
    HELVE_CHECK(word.find_first_of(" \n_-.") == std::string::npos);
    HELVE_CHECK(!helve::stem(word).empty() && helve::stem(word).size() <= word.size());
  }
  // Less room gives a beginning of the same words.
  const std::vector<std::string> fewer = helve::search_words(text, {.bytes = 4096, .words = 3});
  HELVE_CHECK(fewer.size() == std::min<size_t>(words.size(), 3));
  for (size_t i = 0; i < fewer.size(); ++i) HELVE_CHECK(fewer[i] == words[i]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t half = size / 2;
  check_words(text);
  const std::string name = "z_tool";
  const std::vector<helve::tool::Candidate> tools = {
      {.name = "a_tool", .title = text.substr(0, half), .description = text},
      {.name = name, .title = "", .description = text.substr(half)},
  };
  const auto found = helve::tool::search(tools, text, 2);
  HELVE_CHECK(helve::search_words(text).empty() || !found.empty());
  for (const auto& match : found) HELVE_CHECK(match.score > 0 && match.index < tools.size());
  HELVE_CHECK(helve::tool::search(tools, name, 2).front().index == 1);
  return 0;
}
