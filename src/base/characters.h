// base/characters.h
//
// Kinds of characters by Unicode, and texts folded so that what reads alike compares alike. Pure;
// any thread.
#pragma once

#include <string>
#include <string_view>

namespace helve {

bool is_letter(char32_t character);
bool is_mark(char32_t character);    // an accent and the like: belongs to what stands before it
bool is_word(char32_t character);    // letters, marks and numbers
bool is_symbol(char32_t character);  // of mathematics, money, pictures; no punctuation
bool is_blank(char32_t character);   // white space, also of lines, and control characters

// NFKC with case folding (Unicode's toNFKC_Casefold): full width and ligatures as the plain
// letters, composed accents, no joiners. What is not UTF-8 becomes U+FFFD.
std::string folded(std::string_view text);

}  // namespace helve
