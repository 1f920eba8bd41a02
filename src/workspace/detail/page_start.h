// workspace/detail/page_start.h
//
// Where a page begins, for an offset from the beginning or from the end and a column. Blocking; one
// thread.
#pragma once

#include <optional>

#include "workspace/pages.h"

namespace helve::workspace {

struct PageStart {
  std::uint64_t line_start = 0;  // byte of the file
  std::uint64_t at = 0;          // the same, or what the column leads to
  std::int64_t number = 1;       // of the line; negative: from the end, -1 is the last
};

// Refused: as read_page.
Result<PageStart> find_start(Source& source, LineIndex& index, const PageRequest& request);

// Where the text of the line that goes on at `from` ends, in front of its line end; nothing if that
// is further than `most` bytes. Refused: Source::at's.
Result<std::optional<std::uint64_t>> find_end_of_line(Source& source, Encoding encoding,
                                                      std::uint64_t from, std::uint64_t most);

}  // namespace helve::workspace
