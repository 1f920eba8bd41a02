// Splitting: no bytes crash it, and quoting every word again gives the same words.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "template/parts.h"

namespace {

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += R"('\'')";
    } else {
      out += c;
    }
  }
  return out + '\'';
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto words = helve::tmpl::split_words(text);
  if (!words) return 0;
  std::string again;
  for (const auto& word : *words) {
    HELVE_CHECK(word.offset < size);
    again += in_quotes(word.text) + ' ';
  }
  const auto same = helve::tmpl::split_words(again);
  HELVE_CHECK(same && same->size() == words->size());
  for (size_t i = 0; i < words->size(); ++i) HELVE_CHECK((*same)[i].text == (*words)[i].text);
  return 0;
}
