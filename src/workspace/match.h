// workspace/match.h
//
// Finds in a text what an edit wants to replace, byte for byte first and then with line ends
// ignored (WS-85, WS-86), and says which bytes go and what comes in their place. All wishes are
// matched against the same text; they hold together or not at all. Similar text is never taken: who
// explains what there is instead is workspace/no_match.h. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::workspace {

struct Wish {
  std::string old_text, new_text;  // `old_text` is not empty
  bool all = false;                // every occurrence, not just the only one
};

enum class Step : std::uint8_t { kExact, kLineEnds };

// These bytes go, and `texts[text]` of the Matching comes.
struct Swap {
  std::size_t begin = 0, end = 0;
  std::uint32_t text = 0, wish = 0;
};

struct Matching {
  std::vector<Swap> swaps;  // in the order of the text, none over another
  std::vector<std::string> texts;
  std::vector<Step> steps;  // by wish
};

struct Mismatch {
  enum class Why : std::uint8_t {
    kNone,       // does not occur
    kMany,       // occurs `count` times, and one was meant
    kManyLoose,  // the same, but only with line ends ignored
    kNoChange,   // differs from what shall replace it in nothing but line ends
    kOverlap,    // `wish` and `other` want the same bytes
    kTooMany,    // more than kMostSwaps
  };
  Why why = Why::kNone;
  std::size_t wish = 0, other = 0, count = 0;
  std::vector<std::size_t> places;  // offsets of the first ten
};

inline constexpr std::size_t kMostSwaps = 1'000'000;

// `adapt`: new line ends take the form of those around them. False for bytes that are no text.
std::expected<Matching, Mismatch> match(std::string_view text, std::span<const Wish> wishes,
                                        bool adapt = true);

// The text after the swaps, in pieces of `text` and of `matching`, which outlive them.
std::vector<std::string_view> pieces_of(std::string_view text, const Matching& matching);

// Where `what` begins first, CR LF and LF being the same.
std::optional<std::size_t> find_text_loosely(std::string_view text, std::string_view what);

}  // namespace helve::workspace
