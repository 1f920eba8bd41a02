#include "workspace/detail/nearest.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "diff/lines.h"
#include "workspace/detail/folding.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kMostWanted = 64;  // lines of `wanted` that are looked for
constexpr std::size_t kLongLine =
    4096;  // beyond that a line has no vote, and is looked at in parts
constexpr std::size_t kMostVotes = 2000;  // of one line, which says little if it is everywhere
constexpr std::size_t kMostScore = 60;    // of one vote: its bytes, at most so many

std::string_view line_at(std::string_view text, std::size_t begin) {
  const std::size_t end = text.find('\n', begin);
  return text.substr(begin, end == std::string_view::npos ? end : end + 1 - begin);
}

std::size_t line_begin(std::string_view text, std::size_t at) {
  const std::size_t lf = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return lf == std::string_view::npos ? 0 : lf + 1;
}

// The begin of the line `count` lines earlier, or of the text.
std::size_t lines_before(std::string_view text, std::size_t begin, std::size_t count) {
  for (; count > 0 && begin > 0; --count) begin = line_begin(text, begin - 1);
  return begin;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Votes of equal lines.
class Votes {
 public:
  explicit Votes(const std::vector<std::string_view>& wanted) {
    std::string folded;
    for (std::size_t i = 0; i < std::min(wanted.size(), kMostWanted); ++i) {
      fold_line(folded, wanted[i]);
      if (folded.empty()) continue;
      possible_ += std::min(folded.size(), kMostScore);
      wanted_[folded].numbers.push_back(i);
      begins_.set(static_cast<unsigned char>(folded.front()));
    }
  }

  void count(std::string_view text) {
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < text.size(); ++number) {
      const std::string_view line = line_at(text, begin);
      if (line.size() <= kLongLine && may_be_wanted(line)) vote(line, number, begin);
      begin += line.size();
    }
  }

  // Where the elected place's line of `wanted` with this number is.
  struct Elected {
    std::size_t begin = 0, number = 0;
    bool clear = false;  // by more than lines that are everywhere, such as braces
  };
  std::optional<Elected> best() const {
    const Vote* best = nullptr;
    for (const auto& [start, vote] : votes_) {
      if (best == nullptr || vote.score > best->score ||
          (vote.score == best->score && vote.at.begin < best->at.begin)) {
        best = &vote;
      }
    }
    if (best == nullptr) return std::nullopt;
    Elected elected = best->at;
    elected.clear = best->score * 3 >= possible_;
    return elected;
  }

 private:
  struct Wanted {
    std::vector<std::size_t> numbers;
    std::size_t votes = 0;
  };
  struct Vote {
    std::size_t score = 0;
    Elected at;
  };

  // A line that is not plain ASCII at its begin may fold to anything.
  bool may_be_wanted(std::string_view line) const {
    const auto* const first = std::ranges::find_if_not(line, is_blank);
    if (first == line.end()) return false;
    const auto c = static_cast<unsigned char>(*first);
    return c >= 0x80 || begins_.test(c >= 'A' && c <= 'Z' ? c + 32U : c);
  }

  void vote(std::string_view line, std::size_t number, std::size_t begin) {
    fold_line(folded_, line);
    const auto found = wanted_.find(folded_);
    if (found == wanted_.end() || found->second.votes >= kMostVotes) return;
    for (const std::size_t wanted : found->second.numbers) {
      if (wanted > number) continue;
      ++found->second.votes;
      Vote& vote = votes_.try_emplace(number - wanted, Vote{.at = {begin, wanted}}).first->second;
      vote.score += std::min(folded_.size(), kMostScore);
    }
  }

  std::unordered_map<std::string, Wanted> wanted_;
  std::bitset<256> begins_;
  std::size_t possible_ = 0;                     // score
  std::unordered_map<std::size_t, Vote> votes_;  // by the line that the place begins with
  std::string folded_;
};

// Sequences of four bytes, ASCII in lower case.
class Grams {
 public:
  explicit Grams(std::string_view probe) {
    each(probe, [&](std::uint32_t gram, std::size_t at) {
      seen_.set(slot(gram));
      auto& places = places_[gram];
      if (places.size() < 4) places.push_back(at);
      ++count_;
    });
  }

  std::size_t count() const { return count_; }
  bool enough(std::size_t hits) const { return hits > 0 && hits * 5 >= count_ * 2; }

  // The parts of the text with the most of them.
  struct Part {
    std::size_t hits = 0, begin = 0, end = 0;
  };
  std::vector<Part> best_parts(std::string_view text) const {
    std::vector<Part> best;
    Part part;
    const auto close = [&](std::size_t end) {
      part.end = end;
      part.hits = std::min(part.hits, count_);
      if (enough(part.hits)) keep(best, part);
      part = {.begin = end};
    };
    std::uint32_t gram = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const char c = text[at];
      gram = (gram << 8U) | kLower[static_cast<unsigned char>(c)];
      part.hits += seen_.test(slot(gram)) ? 1 : 0;
      if (c == '\n' || at - part.begin >= kLongLine) close(at + 1);
    }
    close(text.size());
    return best;
  }

  // Where in the text the probe would begin, by most of its sequences; how many say so.
  struct Aligned {
    std::size_t votes = 0;
    std::ptrdiff_t begin = 0;
  };
  Aligned align(std::string_view text, const Part& part) const {
    std::unordered_map<std::ptrdiff_t, std::size_t> votes;
    Aligned best;
    each(text.substr(part.begin, part.end - part.begin), [&](std::uint32_t gram, std::size_t at) {
      const auto found = places_.find(gram);
      if (found == places_.end()) return;
      for (const std::size_t place : found->second) {
        const auto begin =
            static_cast<std::ptrdiff_t>(part.begin + at) - static_cast<std::ptrdiff_t>(place);
        if (const std::size_t count = ++votes[begin]; count > best.votes) best = {count, begin};
      }
    });
    return best;
  }

 private:
  static constexpr std::size_t kBest = 8;
  static constexpr auto kLower = [] {
    std::array<std::uint8_t, 256> out{};
    for (std::size_t c = 0; c < 256; ++c) {
      out[c] = static_cast<std::uint8_t>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    return out;
  }();

  static std::size_t slot(std::uint32_t gram) { return (gram * 2654435761U) >> 16U; }

  template <typename React>
  static void each(std::string_view text, const React& react) {
    std::uint32_t gram = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      gram = (gram << 8U) | kLower[static_cast<unsigned char>(text[at])];
      if (at >= 3) react(gram, at - 3);
    }
  }

  static void keep(std::vector<Part>& best, const Part& part) {
    if (best.size() < kBest) return best.push_back(part);
    const auto least = std::ranges::min_element(best, {}, &Part::hits);
    if (least->hits < part.hits) *least = part;
  }

  std::bitset<65536> seen_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> places_;
  std::size_t count_ = 0;
};

// `wanted`'s first line may be the end of a line of the text.
std::size_t within_line(std::string_view text, std::size_t begin, std::string_view first) {
  const std::string_view line = diff::bare(line_at(text, begin)), wanted = diff::bare(first);
  return line.ends_with(wanted) ? begin + line.size() - wanted.size() : begin;
}

// By the longest of the lines.
std::optional<std::size_t> alike_place(std::string_view text,
                                       const std::vector<std::string_view>& lines) {
  const auto longest = std::ranges::max_element(
      lines, {}, [](std::string_view line) { return diff::bare(line).size(); });
  const std::string_view probe = diff::bare(*longest).substr(0, 1024);
  if (probe.size() < 4) return std::nullopt;
  const auto number = static_cast<std::size_t>(longest - lines.begin());
  const Grams grams(probe);
  Grams::Aligned best;
  std::size_t begin = 0;
  for (const Grams::Part& part : grams.best_parts(text)) {
    const Grams::Aligned aligned = grams.align(text, part);
    if (aligned.votes <= best.votes) continue;
    best = aligned;
    begin = line_begin(text, part.begin);
  }
  if (!grams.enough(best.votes)) return std::nullopt;
  if (number > 0) return within_line(text, lines_before(text, begin, number), lines.front());
  const auto at =
      static_cast<std::size_t>(std::max(best.begin, static_cast<std::ptrdiff_t>(begin)));
  const bool only_indent = std::ranges::all_of(text.substr(begin, at - begin), is_blank);
  return only_indent && is_blank(probe.front()) ? begin : utf8_floor(text, at);
}

}  // namespace

std::optional<std::size_t> nearest_place(std::string_view text, std::string_view wanted) {
  std::vector<std::string_view> lines = diff::lines_of(wanted.substr(0, kMostWanted * kLongLine));
  if (lines.empty()) return std::nullopt;
  lines.resize(std::min(lines.size(), kMostWanted));
  Votes votes(lines);
  votes.count(text);
  const auto elected = votes.best();
  if (!elected || !elected->clear) {
    if (const auto alike = alike_place(text, lines)) return alike;
  }
  if (!elected) return std::nullopt;
  return within_line(text, lines_before(text, elected->begin, elected->number), lines.front());
}

}  // namespace helve::workspace
