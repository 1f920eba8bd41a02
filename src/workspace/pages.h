// workspace/pages.h
//
// One page of a text file, of whatever size, in memory that the page bounds (WS-69 to WS-74): whole
// lines, or a part of one that is too long. Following `next` from the beginning gives every byte of
// the text. Blocking; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/refusal.h"
#include "tool/answer_size.h"
#include "workspace/line_index.h"
#include "workspace/source.h"

namespace helve::workspace {

inline constexpr std::size_t kWholeLine = 8 * 1024;     // bytes of a line that is shown whole
inline constexpr std::size_t kLinePart = 32 * 1024;     // of one that is read on by column
inline constexpr std::uint64_t kCountOn = 1024 * 1024;  // behind the page, to say how many lines

struct PageRequest {
  std::int64_t offset = 0;                 // lines to skip; negative: this many from the end
  std::uint64_t limit = 400;               // lines
  std::uint64_t column = 0;                // bytes to skip in the first of them
  std::size_t budget = tool::kTextBudget;  // encoded characters (base/encoded.h)
  bool numbers = false;                    // in front of each line, with a tab
};

struct Cut {
  std::uint64_t from = 0, to = 0;  // bytes of the line that are shown
  std::uint64_t bytes = 0;         // of the whole line
  bool exact = true;               // else it has at least so many
};

struct Next {
  std::int64_t offset = 0;
  std::uint64_t column = 0;
};

struct Page {
  std::string text;  // each line with its LF, as the file has one; no BOM, no CR of a CR LF
  // From 1; 0: there are none. In a page from the end of a file whose lines nobody counted they are
  // negative: -1 is the last.
  std::int64_t first = 0, last = 0;
  std::uint64_t lines = 0;        // of the file
  bool lines_exact = true;        // else at least so many
  bool lf = false, crlf = false;  // line ends up to the page's
  bool lone_cr = false;           // in the page
  bool lossy = false;             // something in the page is U+FFFD instead
  bool unfinished = false;        // its last line is the file's, and has no end
  std::optional<Cut> cut;         // of the last line
  std::optional<Next> next;       // what shows the rest; nothing: this is the end
};

// `index` is extended as far as need be. Refused: Source::at's, read.past_end {path, lines}.
Result<Page> read_page(Source& source, LineIndex& index, const PageRequest& request);

}  // namespace helve::workspace
