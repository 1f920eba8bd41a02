#include "notes/query.h"

#include <algorithm>

#include "base/characters.h"
#include "base/text.h"
#include "base/words.h"

namespace helve::notes {
namespace {

constexpr std::size_t kMostPieces = 32;
constexpr std::size_t kTrigram = 3;

template <typename Test>
bool any_character(std::string_view text, Test test) {
  for (std::size_t at = 0; at < text.size();) {
    if (test(next_code_point(text, at))) return true;
  }
  return false;
}

// Punctuation tells nothing; neither does an operator, but a picture does.
bool tells(char32_t c) { return is_word(c) || (c >= 0x80 && is_symbol(c)); }

class Cutter {
 public:
  explicit Cutter(std::string_view query) : query_(query) {}

  std::vector<Piece> run() {
    while (pieces_.size() < kMostPieces) {
      const bool begins = skip_blanks() || at_ == 0;
      if (at_ == query_.size()) break;
      read_piece(begins);
    }
    return std::move(pieces_);
  }

 private:
  std::string_view rest() const { return query_.substr(at_); }

  bool take(std::string_view mark) {
    if (!rest().starts_with(mark)) return false;
    at_ += mark.size();
    return true;
  }

  bool blank_at(std::size_t at) const {
    return at == query_.size() || is_blank(next_code_point(query_, at));
  }

  bool skip_blanks() {
    const std::size_t from = at_;
    while (at_ < query_.size()) {
      std::size_t next = at_;
      if (!is_blank(next_code_point(query_, next))) break;
      at_ = next;
    }
    return at_ > from;
  }

  // Marks count only where white space stands before them.
  void read_piece(bool begins) {
    constexpr std::string_view kTitle = "title:";
    Piece piece;
    if (begins && rest().starts_with('-') && !blank_at(at_ + 1) && query_[at_ + 1] != '-') {
      piece.exclude = take("-");
    }
    if (begins && !blank_at(std::min(at_ + kTitle.size(), query_.size()))) {
      piece.title = take(kTitle);
    }
    if (!read_quoted(piece.text)) return keep_plain(std::move(piece));
    piece.prefix = take("*");
    keep(std::move(piece));
  }

  // A quote that nothing closes is left out.
  bool read_quoted(std::string& text) {
    if (!take("\"")) return false;
    std::string quoted;
    for (std::size_t at = at_; at < query_.size(); ++at) {
      if (query_[at] == '"') {
        if (!query_.substr(at + 1).starts_with('"')) {
          at_ = at + 1;
          text = std::move(quoted);
          return true;
        }
        ++at;
      }
      quoted += query_[at];
    }
    return false;
  }

  void keep_plain(Piece piece) {
    const std::size_t from = at_;
    while (!blank_at(at_)) next_code_point(query_, at_);
    std::string_view text = query_.substr(from, at_ - from);
    if (text.size() > 1 && text.ends_with('*')) {
      text.remove_suffix(1);
      piece.prefix = true;
    }
    piece.text = text;
    keep(std::move(piece));
  }

  void keep(Piece piece) {
    piece.text = flatten_controls(piece.text);
    piece.key = search_key(piece.text);
    if (any_character(piece.key, tells)) pieces_.push_back(std::move(piece));
  }

  std::string_view query_;
  std::size_t at_ = 0;
  std::vector<Piece> pieces_;
};

// Where a word ends can be seen: not in scripts that write no blanks.
bool is_bounded(char32_t c) { return is_word(c) && !is_unspaced(c); }

std::size_t start_of_last(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && continues_character(text[at])) --at;
  return at;
}

bool ends_bounded(std::string_view text) {
  if (text.empty()) return false;
  std::size_t at = start_of_last(text);
  return is_bounded(next_code_point(text, at));
}

bool begins_bounded(std::string_view text) {
  if (text.empty()) return false;
  std::size_t at = 0;
  return is_bounded(next_code_point(text, at));
}

bool stands_in(const Piece& piece, std::string_view text) {
  const bool begins = begins_bounded(piece.key);
  const bool ends = !piece.prefix && ends_bounded(piece.key);
  for (std::size_t at = 0; (at = text.find(piece.key, at)) != std::string_view::npos; ++at) {
    const bool inside = begins && ends_bounded(text.substr(0, at));
    const bool goes_on = ends && begins_bounded(text.substr(at + piece.key.size()));
    if (!inside && !goes_on) return true;
  }
  return false;
}

// Words of these the index of words finds nowhere: it takes a run of them for one word, and knows
// nothing of what Unicode has beyond the first plane.
bool is_foreign_to_words(char32_t c) { return is_unspaced(c) || c >= 0x10000; }

}  // namespace

std::vector<Piece> cut(std::string_view query) {
  if (!is_utf8(query)) return cut(to_utf8(query));
  return Cutter(query).run();
}

std::string search_key(std::string_view text) {
  const std::string all = folded(text);
  std::string key;
  key.reserve(all.size());
  bool gap = false;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t from = at;
    if (is_blank(next_code_point(all, at))) {
      gap = true;
      continue;
    }
    if (gap && !key.empty()) key += ' ';
    gap = false;
    key.append(all, from, at - from);
  }
  return key;
}

bool matches(const Piece& piece, std::string_view title_key, std::string_view text_key) {
  if (piece.key.empty()) return false;
  return stands_in(piece, title_key) || (!piece.title && stands_in(piece, text_key));
}

Way way_of(const Piece& piece) {
  const bool words =
      any_character(piece.key, is_word) && !any_character(piece.key, is_foreign_to_words);
  if (words) return Way::kWords;
  return count_characters(piece.key) < kTrigram ? Way::kScan : Way::kTrigrams;
}

bool needs_check(const Piece& piece) {
  const auto unseen = [](char32_t c) { return !is_word(c) && !is_blank(c); };
  return way_of(piece) == Way::kWords && any_character(piece.key, unseen);
}

}  // namespace helve::notes
