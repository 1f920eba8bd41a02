#include "workspace/detail/shown_line.h"

#include <algorithm>

#include "base/text.h"

namespace helve::workspace {
namespace {

// Where the last character begins.
std::size_t last_character(std::string_view text) { return utf8_floor(text, text.size() - 1); }

// Takes the first character off text that is kept backwards: its lead byte is the last one.
void drop_front(std::string& backwards) {
  if (backwards.empty()) return;
  backwards.pop_back();
  while (!backwards.empty() && continues_character(backwards.back())) backwards.pop_back();
}

}  // namespace

void ShownLine::give_held(std::string& out) {
  out += before_;
  out.append(after_.rbegin(), after_.rend());
  before_.clear();
  after_.clear();
}

// Something that was given away would be replaced.
void ShownLine::restart(std::string& out) {
  give_held(out);
  restarts_ = true;
}

// Before anything is shown.
void ShownLine::begin(std::string& out) {
  if (!restarts_) return;
  out += '\n';
  restarts_ = given_ = false;
}

void ShownLine::write(std::string_view character, std::string& out) {
  begin(out);
  before_ += character;
  drop_front(after_);
  if (before_.size() + after_.size() <= kMostHeld) return;
  out += before_;
  before_.clear();
  given_ = true;
}

void ShownLine::write_all(std::string_view characters, std::string& out) {
  while (!characters.empty() && !after_.empty()) {
    const std::size_t length = utf8_ceil(characters, 1);
    write(characters.substr(0, length), out);
    characters.remove_prefix(length);
  }
  if (!characters.empty()) begin(out);
  while (!characters.empty()) {
    const std::size_t room = kMostHeld + 1 - before_.size();
    const std::size_t length =
        room < characters.size() ? utf8_ceil(characters, room) : characters.size();
    before_ += characters.substr(0, length);
    characters.remove_prefix(length);
    if (before_.size() <= kMostHeld) return;
    out += before_;
    before_.clear();
    given_ = true;
  }
}

void ShownLine::write_lines(std::string_view lines, std::string& out) {
  if (!after_.empty() || restarts_) {
    const std::size_t first = lines.find('\n');
    write_all(lines.substr(0, first), out);
    end(out);
    lines.remove_prefix(first + 1);
  }
  if (lines.empty()) return;
  out += before_;
  out += lines;
  before_.clear();
  given_ = false;
}

void ShownLine::left(std::size_t characters, std::string& out) {
  for (; characters > 0 && !before_.empty(); --characters) {
    const std::size_t at = last_character(before_);
    after_.append(before_.rbegin(), before_.rend() - static_cast<std::ptrdiff_t>(at));
    before_.resize(at);
  }
  if (characters > 0 && given_) restart(out);
}

void ShownLine::home(std::string& out) {
  if (given_) return restart(out);
  after_.append(before_.rbegin(), before_.rend());
  before_.clear();
}

void ShownLine::erase_before(std::string& out) {
  if (before_.empty() || !after_.empty()) return left(1, out);
  before_.resize(last_character(before_));
}

void ShownLine::erase(std::string& out) {
  if (given_) return restart(out);
  before_.clear();
  after_.clear();
}

void ShownLine::end(std::string& out) {
  give_held(out);
  out += '\n';
  given_ = restarts_ = false;
}

void ShownLine::give(std::string& out) {
  if (empty()) return;
  const bool inside = !after_.empty();
  give_held(out);
  given_ = true;
  restarts_ = restarts_ || inside;
}

}  // namespace helve::workspace
