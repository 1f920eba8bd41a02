// workspace/no_match.h
//
// Why `old` of an edit is not in a text: the place that is most like it, the first character that
// differs there, and the usual mistakes, such as copied line numbers (WS-87). The work is bounded
// and goes through the text a few times. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve::workspace {

struct NoMatch {
  std::string sentences;  // at most 1 KiB, valid UTF-8
  std::size_t line = 0;   // from 1, where the text first differs; 0: nothing is like it
};

NoMatch explain_no_match(std::string_view text, std::string_view old_text);

// "U+00A0 (no-break space)", of the character at `at`; for a byte that is none, and for the end,
// that.
std::string character_name(std::string_view text, std::size_t at);

}  // namespace helve::workspace
