// workspace/detail/new_text.h
//
// What an edit puts into a text: its `new` with line ends in the form that is used there (WS-86).
// Pure; one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "workspace/match.h"

namespace helve::workspace {

// For places where `old` stands byte for byte. An `old` or `new` that has a CR itself means what it
// says.
class NewText {
 public:
  NewText(std::string_view text, const Wish& wish, bool adapt);

  // Whether a place that ends here wants CR LF. Places are asked for from front to back.
  bool is_crlf_before(std::size_t end);
  std::string form(bool crlf) const;

 private:
  std::string_view text_, new_text_;
  bool follows_;  // the lines around decide
  bool looked_ = false;
  std::size_t next_ = 0;  // the first LF at or after the last place asked for
};

// For a region that is `old_lf` once its CR LFs are LFs. Its line ends go on being what they are
// where old and new begin and end alike; between, the lines take those of the lines they replace.
std::string new_text_loosely(std::string_view region, std::string_view old_lf,
                             std::string_view new_lf);

}  // namespace helve::workspace
