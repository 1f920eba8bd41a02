// notes/detail/blocks.h
//
// What the lines of a Markdown text are, as far as notes care: code of fences is no text. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace helve::notes {

enum class LineKind { kBlank, kCode, kHeading, kText };

// Tells lines apart that are given in their order; a fence is code itself.
class Blocks {
 public:
  LineKind kind_of(std::string_view line);

 private:
  bool opens(std::string_view line);
  bool closes(std::string_view line) const;

  char fence_ = 0;  // of the code that is open, and how long it is
  std::size_t length_ = 0;
};

// Of a line "## Text ##": the text. Not of other lines.
std::string_view heading_text(std::string_view line);

}  // namespace helve::notes
