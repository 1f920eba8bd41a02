// base/words.h
//
// Cuts text into the words that a search compares, in any script: compatibility forms and case are
// folded (NFKC, case folding), Latin and Greek lose their accents, so that "Café" meets "cafe".
// Names are cut at '_', '-' and inside camelCase; scripts that write no blanks come as overlapping
// pairs of characters. Who ranks what is found lives elsewhere (tool/search.h). Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace helve {

struct WordLimits {
  size_t bytes = 4096;  // of the text; the rest is not read
  size_t words = 64;    // of the answer
};

// The words of `text` in their order, as UTF-8, each of 1 to 64 code points. A name in camelCase
// gives its parts and then the whole: "GitHub" is git, hub, github. Han, Hiragana, Katakana, Thai,
// Lao, Khmer and Myanmar give pairs, a character between others stands alone. Bytes that are not
// UTF-8 separate words.
std::vector<std::string> search_words(std::string_view text, WordLimits limits = {});

// The form under which an English word meets its plural, -ing and -ed: files and file, edited and
// editing. Not always a word itself. Words with anything but a-z come back as they are.
std::string stem(std::string_view word);

// Of a script that writes no blanks between words.
bool is_unspaced(char32_t character);

}  // namespace helve
