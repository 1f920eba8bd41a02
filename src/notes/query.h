// notes/query.h
//
// A search text cut into pieces (NT-43). It is text and no language: nothing in it is an error.
// Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace helve::notes {

struct Piece {
  std::string text;      // as it was written, without its marks and quotes
  std::string key;       // NFKC, case-folded: what is compared
  bool exclude = false;  // -piece
  bool prefix = false;   // piece*
  bool title = false;    // title:piece
  bool operator==(const Piece&) const = default;
};

// At most 32 pieces; the rest of a longer text is left out. White space outside "..." cuts; within
// it
// "" is a quote. Pieces of punctuation alone ask for nothing and are left out; a piece that begins
// with two dashes is an option of some command and excludes nothing.
std::vector<Piece> cut(std::string_view query);

// NFKC and case-folded (NT-9), each run of white space one blank, none at the ends: for titles,
// texts and pieces alike.
std::string search_key(std::string_view text);

// What the piece asks for is in there, to the letter of its key: a word only as a whole or, with
// `prefix`, as a beginning. `exclude` is for the caller to heed.
bool matches(const Piece& piece, std::string_view title_key, std::string_view text_key);

// Which index can find it: `words` finds whole words (unicode61), `trigrams` anything of three
// characters and more; what neither can is looked for in the text itself.
enum class Way : std::uint8_t { kWords, kTrigrams, kScan };
Way way_of(const Piece& piece);

// The index of words sees nothing of the punctuation in it ("C++" is any c there): what it finds
// has to be held against matches().
bool needs_check(const Piece& piece);

}  // namespace helve::notes
