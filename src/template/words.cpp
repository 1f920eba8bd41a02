#include "template/detail/words.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"

namespace helve::tmpl {
namespace {

using ByteSet = std::array<bool, 256>;

constexpr ByteSet bytes_of(std::string_view members) {
  ByteSet set{};
  for (const char c : members) set[static_cast<unsigned char>(c)] = true;
  return set;
}

constexpr ByteSet kEndsRun = bytes_of(" \t\n\v\f\r'\"\\");
constexpr ByteSet kEndsDoubleQuoted = bytes_of("\"\\");
constexpr ByteSet kEscapedInDoubleQuotes = bytes_of(" \t\n\v\f\r\"\\'$`");
constexpr ByteSet kPortableAfterBackslash = bytes_of(" \t\n\v\f\r'\"\\");

// A first guess at the room that words need; more is taken as it comes.
constexpr size_t kBytesPerWord = 6;
constexpr size_t kWordsAtFirst = 4096;

constexpr bool holds(const ByteSet& set, char c) { return set[static_cast<unsigned char>(c)]; }

class Splitter {
 public:
  Splitter(std::string_view text, size_t limit, SplitLints* lints)
      : text_(text), limit_(limit), lints_(lints) {}

  Result<std::vector<Word>> run() {
    if (const size_t nul = text_.find('\0'); nul != std::string_view::npos) {
      return fail("nul_byte", {{"offset", std::to_string(nul)}});
    }
    words_.reserve(std::min({text_.size() / kBytesPerWord, limit_, kWordsAtFirst}));
    for (skip_blanks(); !at_end(); skip_blanks()) {
      if (words_.size() == limit_) return over_limit("words", limit_);
      words_.push_back({.offset = at_});
      if (Status read = read_word(words_.back()); !read) return std::unexpected(read.error());
    }
    return std::move(words_);
  }

 private:
  bool at_end() const { return at_ == text_.size(); }

  void skip_blanks() {
    while (!at_end() && is_blank(text_[at_])) ++at_;
  }

  // The bytes up to the next one in `ends`.
  std::string_view take_run(const ByteSet& ends) {
    const size_t start = at_;
    while (!at_end() && !holds(ends, text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  Status read_word(Word& word) {
    while (!at_end() && !is_blank(text_[at_])) {
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        word.quoted = true;
        if (Status read = c == '"' ? read_double(word) : read_single(word); !read) return read;
      } else if (c == '\\') {
        read_escape(word);
      } else {
        const std::string_view run = take_run(kEndsRun);
        note_blank(run);
        word.text += run;
      }
    }
    return {};
  }

  Status read_single(Word& word) {
    const size_t close = text_.find('\'', at_ + 1);
    if (close == std::string_view::npos) return unterminated(at_);
    word.text += text_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    return {};
  }

  Status read_double(Word& word) {
    const size_t open = at_++;
    for (;;) {
      word.text += take_run(kEndsDoubleQuoted);
      if (at_end()) return unterminated(open);
      if (text_[at_] == '"') break;
      if (at_ + 1 == text_.size()) return unterminated(open);
      note_backslash();
      if (!holds(kEscapedInDoubleQuotes, text_[at_ + 1])) word.text += '\\';
      word.text += text_[at_ + 1];
      at_ += 2;
    }
    ++at_;
    return {};
  }

  void read_escape(Word& word) {
    if (at_ + 1 == text_.size()) {  // CT-15
      word.text += '\\';
      ++at_;
      return;
    }
    note_backslash();
    word.text += text_[at_ + 1];
    at_ += 2;
  }

  void note_backslash() {
    if (lints_ == nullptr || lints_->backslash) return;
    if (!holds(kPortableAfterBackslash, text_[at_ + 1])) lints_->backslash = at_;
  }

  // What JavaScript would split at and we do not: the white space of BL-21 beyond ASCII.
  void note_blank(std::string_view run) {
    if (lints_ == nullptr || lints_->blank) return;
    for (size_t i = 0; i < run.size();) {
      const size_t start = i;
      next_code_point(run, i);
      if (i - start > 1 && trim(run.substr(start, i - start)).empty()) {
        lints_->blank = at_ - run.size() + start;
        return;
      }
    }
  }

  Status unterminated(size_t open) const {
    return fail("unterminated_quote", {{"offset", std::to_string(open)}});
  }

  std::string_view text_;
  size_t limit_;
  SplitLints* lints_;
  size_t at_ = 0;
  std::vector<Word> words_;
};

}  // namespace

Result<std::vector<Word>> split(std::string_view text, size_t limit, SplitLints* lints) {
  return Splitter(text, limit, lints).run();
}

Result<std::vector<Word>> split_words(std::string_view text) {
  return split(text, std::numeric_limits<size_t>::max(), nullptr);
}

bool has_unbalanced_braces(std::string_view word) {
  size_t open = 0;
  for (const char c : word) {
    if (c == '{') ++open;
    if (c == '}' && open-- == 0) return true;
  }
  return open > 0;
}

}  // namespace helve::tmpl
