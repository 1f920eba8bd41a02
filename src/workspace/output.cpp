#include "workspace/output.h"

#include <utility>

#include "base/text.h"
#include "workspace/detail/plain_text.h"

namespace helve::workspace {
namespace {

constexpr unsigned char kBackspace = 0x08;
constexpr unsigned char kEscape = 0x1B;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

void Output::feed(std::string_view bytes, std::string& out) {
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    if (!escapes_.inside() && unfinished_.empty()) bytes = feed_text(bytes, out);
    if (bytes.empty()) return;
    feed_byte(static_cast<unsigned char>(bytes[0]), out);
    bytes.remove_prefix(1);
  }
}

// Takes what needs no interpreting off the front, and CR LF with it.
std::string_view Output::feed_text(std::string_view bytes, std::string& out) {
  const std::size_t plain = plain_prefix(bytes);
  const std::string_view text = bytes.substr(0, plain);
  const std::size_t lines = text.rfind('\n') + 1;
  if (lines > 0) line_.write_lines(text.substr(0, lines), out);
  if (lines < plain) line_.write_all(text.substr(lines), out);
  bytes.remove_prefix(plain);
  if (!bytes.starts_with("\r\n")) return bytes;
  line_.end(out);
  return bytes.substr(2);
}

void Output::feed_byte(unsigned char byte, std::string& out) {
  if (escapes_.inside()) {
    const Escapes::Step step = escapes_.feed(byte);
    if (step == Escapes::Step::kDone) control_sequence(escapes_.control(), out);
    if (step != Escapes::Step::kOutside) return;
  }
  feed_character(byte, out);
}

void Output::feed_character(unsigned char byte, std::string& out) {
  unfinished_ += static_cast<char>(byte);
  if (unfinished_.size() == character_length(static_cast<unsigned char>(unfinished_[0])) &&
      is_utf8(unfinished_)) {
    const std::string character = std::exchange(unfinished_, {});
    if (plain_prefix(character) > 0 && character != "\n") {
      line_.write(character, out);
    } else if (character.size() == 1) {
      control_character(byte, out);
    }
    return;
  }
  if (begins_character(unfinished_)) return;
  // What came before is no character. This byte may begin one.
  const std::size_t before = unfinished_.size() - 1;
  unfinished_.clear();
  replace_bytes(before > 0 ? before : 1, out);
  if (before > 0) feed_character(byte, out);
}

void Output::replace_bytes(std::size_t count, std::string& out) {
  for (; count > 0; --count) {
    line_.write(kReplacement, out);
    ++replaced_;
  }
}

void Output::control_character(unsigned char byte, std::string& out) {
  if (byte == '\n') line_.end(out);
  if (byte == '\r') line_.home(out);
  if (byte == kBackspace) line_.erase_before(out);
  if (byte == kEscape) escapes_.begin();
}

void Output::control_sequence(const Escapes::Control& control, std::string& out) {
  const std::size_t number = control.number;
  switch (control.final_byte) {
    case 'D':  // the cursor to the left
      return line_.left(number == 0 ? 1 : number, out);
    case 'G':  // to a column
      if (number <= 1) line_.home(out);
      return;
    case 'J':  // erases to the end of the screen
    case 'K':  // of the line
      if (number == 0) line_.erase_rest();
      if (number == 2 && control.final_byte == 'K') line_.erase(out);
      return;
    default:
      return;
  }
}

void Output::settle(std::string& out) { line_.give(out); }

void Output::finish(std::string& out) {
  if (!unfinished_.empty()) {
    unfinished_.clear();
    replace_bytes(1, out);
  }
  line_.give(out);
}

}  // namespace helve::workspace
