// workspace/output.h
//
// What a terminal would have shown of a command's bytes, as text (WS-35): UTF-8 with each invalid
// byte as U+FFFD, escape sequences gone, CR LF as LF, a lone CR back to the line's start so that
// later text replaces it, backspace, no other control characters but tabs. Text comes out once it
// cannot change any more: whole lines, pieces of a line above 64 KiB, or what `settle` gives away
// early; so at most that much is held. Cursor movements that leave the line are not followed.
// How the bytes come in pieces makes no difference to the text. Pure; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "workspace/detail/escapes.h"
#include "workspace/detail/shown_line.h"

namespace helve::workspace {

class Output {
 public:
  // Appends to `out` what is certain after these bytes.
  void feed(std::string_view bytes, std::string& out);

  // The line that is not finished yet is given away as it is, whole characters of it. What would
  // have replaced it later comes on a line of its own.
  void settle(std::string& out);

  // The end: as settle, and an unfinished character is one U+FFFD.
  void finish(std::string& out);

  bool has_partial() const { return !line_.empty(); }   // settle would give something
  std::uint64_t bytes() const { return bytes_; }        // that were fed
  std::uint64_t replaced() const { return replaced_; }  // U+FFFD in place of bytes

 private:
  std::string_view feed_text(std::string_view bytes, std::string& out);
  void feed_byte(unsigned char byte, std::string& out);
  void feed_character(unsigned char byte, std::string& out);
  void control_character(unsigned char byte, std::string& out);
  void control_sequence(const Escapes::Control& control, std::string& out);
  void replace_bytes(std::size_t count, std::string& out);

  ShownLine line_;
  Escapes escapes_;
  std::string unfinished_;  // the first bytes of a character
  std::uint64_t bytes_ = 0, replaced_ = 0;
};

}  // namespace helve::workspace
