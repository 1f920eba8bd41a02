#include "workspace/match.h"

#include <algorithm>
#include <utility>

#include "workspace/detail/line_ends.h"
#include "workspace/detail/new_text.h"

namespace helve::workspace {
namespace {

using Why = Mismatch::Why;

constexpr std::size_t kPlaces = 10;

class Matcher {
 public:
  Matcher(std::string_view text, bool adapt) : text_(text), adapt_(adapt) {}

  std::expected<Matching, Mismatch> run(std::span<const Wish> wishes) {
    for (std::size_t i = 0; i < wishes.size(); ++i) {
      auto done = match_one(wishes[i], i);
      if (!done) return std::unexpected(std::move(done.error()));
    }
    auto apart = sort();
    if (!apart) return std::unexpected(std::move(apart.error()));
    return std::move(out_);
  }

 private:
  using Done = std::expected<void, Mismatch>;

  Done match_one(const Wish& wish, std::size_t number) {
    std::vector<std::size_t> places;
    const std::size_t count = find_exact(wish, places);
    if (count == 0) return match_loosely(wish, number);
    if (count > 1 && !wish.all) return fail(Why::kMany, number, count, std::move(places));
    if (out_.swaps.size() + count > kMostSwaps) return fail(Why::kTooMany, number, count, {});
    out_.steps.push_back(Step::kExact);
    NewText text(text_, wish, adapt_);
    std::optional<std::uint32_t> kept[2];  // in its two forms
    for (const std::size_t at : places) {
      const std::size_t end = at + wish.old_text.size();
      const bool crlf = text.is_crlf_before(end);
      if (!kept[crlf]) kept[crlf] = keep(text.form(crlf));
      add(at, end, *kept[crlf], number);
    }
    return {};
  }

  // All occurrences are counted; as many are kept as are needed.
  std::size_t find_exact(const Wish& wish, std::vector<std::size_t>& places) const {
    const std::size_t keep = wish.all ? kMostSwaps : kPlaces;
    std::size_t count = 0;
    for (std::size_t from = 0;;) {
      const std::size_t at = find_bytes(text_, wish.old_text, from);
      if (at == std::string_view::npos) return count;
      from = at + 1;
      if (splits_line_end(at)) continue;
      if (++count <= keep) places.push_back(at);
      from = at + wish.old_text.size();
    }
  }

  // An LF of `old` that is the second half of a CR LF: taken as it is, its CR would stay alone.
  bool splits_line_end(std::size_t at) const {
    return adapt_ && at > 0 && text_[at] == '\n' && text_[at - 1] == '\r';
  }

  Done match_loosely(const Wish& wish, std::size_t number) {
    if (!adapt_ || !(crlf() || has_crlf(wish.old_text))) return fail(Why::kNone, number, 0, {});
    const std::string wanted = with_lf(wish.old_text);
    const std::string_view text = without_cr();
    std::vector<std::size_t> places;
    std::size_t count = 0;
    for (std::size_t at = find_bytes(text, wanted, 0); at != std::string_view::npos;
         at = find_bytes(text, wanted, at + wanted.size())) {
      if (++count <= kPlaces) places.push_back(at);
    }
    if (count == 0) return fail(Why::kNone, number, 0, {});
    for (std::size_t& at : places) at = place_before_lf(text_, at);
    if (count > 1) return fail(Why::kManyLoose, number, count, std::move(places));
    const std::size_t begin = places.front(), end = end_of(wanted, begin);
    const std::string_view region = text_.substr(begin, end - begin);
    std::string put = new_text_loosely(region, wanted, with_lf(wish.new_text));
    if (put == region) return fail(Why::kNoChange, number, 1, {});
    out_.steps.push_back(Step::kLineEnds);
    add(begin, end, keep(std::move(put)), number);
    return {};
  }

  // The end of what stands at `begin` for `wanted`.
  std::size_t end_of(std::string_view wanted, std::size_t begin) const {
    std::size_t at = begin;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      at += text_.substr(at).starts_with("\r\n") ? 2 : 1;
    }
    return at;
  }

  std::uint32_t keep(std::string text) {
    out_.texts.push_back(std::move(text));
    return static_cast<std::uint32_t>(out_.texts.size() - 1);
  }

  void add(std::size_t begin, std::size_t end, std::uint32_t text, std::size_t wish) {
    out_.swaps.push_back(
        {.begin = begin, .end = end, .text = text, .wish = static_cast<std::uint32_t>(wish)});
  }

  Done sort() {
    std::ranges::sort(out_.swaps, {},
                      [](const Swap& swap) { return std::pair(swap.begin, swap.wish); });
    for (std::size_t i = 1; i < out_.swaps.size(); ++i) {
      const Swap &a = out_.swaps[i - 1], &b = out_.swaps[i];
      if (a.end > b.begin) {
        return std::unexpected(Mismatch{.why = Why::kOverlap,
                                        .wish = std::min(a.wish, b.wish),
                                        .other = std::max(a.wish, b.wish),
                                        .places = {b.begin}});
      }
    }
    return {};
  }

  static Done fail(Why why, std::size_t wish, std::size_t count, std::vector<std::size_t> places) {
    return std::unexpected(
        Mismatch{.why = why, .wish = wish, .count = count, .places = std::move(places)});
  }

  bool crlf() {
    if (!crlf_) crlf_ = has_crlf(text_);
    return *crlf_;
  }
  std::string_view without_cr() {
    if (!crlf()) return text_;
    if (!without_cr_) without_cr_ = with_lf(text_);
    return *without_cr_;
  }

  std::string_view text_;
  bool adapt_;
  Matching out_;
  std::optional<bool> crlf_;
  std::optional<std::string> without_cr_;
};

}  // namespace

std::expected<Matching, Mismatch> match(std::string_view text, std::span<const Wish> wishes,
                                        bool adapt) {
  return Matcher(text, adapt).run(wishes);
}

std::vector<std::string_view> pieces_of(std::string_view text, const Matching& matching) {
  std::vector<std::string_view> pieces;
  pieces.reserve(2 * matching.swaps.size() + 1);
  std::size_t from = 0;
  for (const Swap& swap : matching.swaps) {
    pieces.push_back(text.substr(from, swap.begin - from));
    pieces.push_back(matching.texts[swap.text]);
    from = swap.end;
  }
  pieces.push_back(text.substr(from));
  return pieces;
}

std::optional<std::size_t> find_text_loosely(std::string_view text, std::string_view what) {
  const std::string wanted = with_lf(what);
  if (wanted.empty()) return std::nullopt;
  if (!has_crlf(text)) {
    const std::size_t at = find_bytes(text, wanted, 0);
    return at == std::string_view::npos ? std::nullopt : std::optional(at);
  }
  const std::size_t at = find_bytes(with_lf(text), wanted, 0);
  if (at == std::string_view::npos) return std::nullopt;
  return place_before_lf(text, at);
}

}  // namespace helve::workspace
