#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/characters.h"
#include "base/text.h"
#include "diff/lines.h"
#include "notes/detail/blocks.h"
#include "notes/markdown.h"
#include "notes/query.h"

namespace helve::notes {
namespace {

// What is longer is no mark, and would be more than an index takes.
constexpr std::size_t kLongestTag = 100, kLongestLink = 1000;

// In the order in which they come, each once.
class Once {
 public:
  void add(std::string item) {
    if (!item.empty() && known_.insert(item).second) items_.push_back(std::move(item));
  }
  std::vector<std::string> take() { return std::move(items_); }

 private:
  std::vector<std::string> items_;
  std::unordered_set<std::string> known_;
};

struct Found {
  Once tags, links;
};

// Reads the text of one paragraph or heading.
class Scanner {
 public:
  Scanner(std::string_view text, bool heading, Found& found)
      : text_(text), heading_(heading), found_(found) {}

  void run() {
    while (at_ < text_.size()) step();
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  void step() {
    const char c = text_[at_];
    if (c == '\\') {
      at_ += 2;  // what follows means itself
    } else if (c == '`') {
      skip_code();
    } else if (rest().starts_with("[[")) {
      read_link();
    } else if (rest().starts_with("://")) {
      at_ = std::min(text_.find_first_of(" \t\r\n<>\"", at_), text_.size());
    } else if (c == '#') {
      read_tag();
    } else {
      ++at_;
    }
  }

  // To a run of as many backticks; where there is none, they mean themselves.
  void skip_code() {
    const std::size_t length = ticks_at(at_);
    at_ += length;
    if (!has_later_ticks(length)) return;
    for (std::size_t at = text_.find('`', at_); at != std::string_view::npos;) {
      const std::size_t found = ticks_at(at);
      if (found == length) {
        at_ = at + found;
        return;
      }
      at = text_.find('`', at + found);
    }
  }

  // All runs are read once, so that those without an end cost nothing more.
  bool has_later_ticks(std::size_t length) {
    if (last_ticks_.empty()) {
      for (std::size_t at = text_.find('`'); at != std::string_view::npos;) {
        const std::size_t found = ticks_at(at);
        last_ticks_[found] = at;
        at = text_.find('`', at + found);
      }
    }
    const auto last = last_ticks_.find(length);
    return last != last_ticks_.end() && last->second >= at_;
  }

  std::size_t ticks_at(std::size_t at) const {
    return std::min(text_.find_first_not_of('`', at), text_.size()) - at;
  }

  void read_link() {
    const std::string_view inside = text_.substr(at_ + 2, kLongestLink + 2);
    const std::size_t end = inside.find_first_of("[]\n");
    if (end == std::string_view::npos || !inside.substr(end).starts_with("]]")) {
      ++at_;
      return;
    }
    found_.links.add(std::string(trim(inside.substr(0, end))));
    at_ += 2 + end + 2;
  }

  void read_tag() {
    const bool may_be = !heading_ && may_begin_tag(text_.substr(0, at_));
    const std::size_t from = ++at_;
    bool letters = false;
    while (at_ < text_.size()) {
      std::size_t next = at_;
      const char32_t c = next_code_point(text_, next);
      if (!is_word(c) && c != '_' && c != '-' && c != '/') break;
      letters = letters || is_letter(c);
      at_ = next;
    }
    std::string_view word = text_.substr(from, at_ - from);
    while (word.ends_with('-') || word.ends_with('/')) word.remove_suffix(1);
    if (!may_be || !letters || word.starts_with('-') || word.starts_with('/')) return;
    std::string tag = search_key(word);
    if (tag.size() <= kLongestTag) found_.tags.add(std::move(tag));
  }

  // Not within a word or an address, nor a place in a page: `](#there)`, `href="#there"`.
  static bool may_begin_tag(std::string_view before) {
    if (before.empty()) return true;
    const char last = before.back();
    if (last == '(') return !before.ends_with("](");
    if (last == '"' || last == '\'') return before.size() < 2 || before[before.size() - 2] != '=';
    if (last > 0) return std::string_view(" \t\r\n[{*~,;:>|").contains(last);
    std::size_t at = before.size() - 1;
    while (at > 0 && continues_character(before[at])) --at;
    return !is_word(next_code_point(before, at));
  }

  std::string_view text_;
  bool heading_;
  Found& found_;
  std::size_t at_ = 0;
  std::unordered_map<std::size_t, std::size_t> last_ticks_;  // by their number
};

}  // namespace

Marks marks_of(std::string_view body) {
  Found found;
  Blocks blocks;
  std::size_t from = 0, at = 0;  // of the paragraph
  const auto end_paragraph = [&] { Scanner(body.substr(from, at - from), false, found).run(); };
  for (const std::string_view line : diff::lines_of(body)) {
    const LineKind kind = blocks.kind_of(line);
    if (kind != LineKind::kText) {
      end_paragraph();
      if (kind == LineKind::kHeading) Scanner(line, true, found).run();
      from = at + line.size();
    }
    at += line.size();
  }
  end_paragraph();
  return {.tags = found.tags.take(), .links = found.links.take()};
}

}  // namespace helve::notes
