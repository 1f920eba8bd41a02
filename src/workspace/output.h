// workspace/output.h
//
// What a terminal would have shown of a command's bytes, as text (WS-35): UTF-8 with each invalid
// byte as U+FFFD, escape sequences gone, CR LF as LF, a lone CR back to the line's start, backspace,
// no other control characters. Text comes out once it cannot change any more: whole lines, or what
// `settle` gives away early. Pure; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

  bool has_partial() const { return !line_.empty(); }
  std::uint64_t bytes() const { return bytes_; }      // that were fed
  std::uint64_t replaced() const { return replaced_; }  // U+FFFD for an invalid byte

 private:
  std::string line_;
  std::uint64_t bytes_ = 0, replaced_ = 0;
};

}  // namespace helve::workspace
