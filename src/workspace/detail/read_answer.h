// workspace/detail/read_answer.h
//
// A file that was read, as the tool answers: one header line with the facts, the lines behind it,
// and the same facts for programs (WS-73). Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "tool/tool.h"
#include "workspace/detail/file_read.h"

namespace helve::workspace {

struct Asked {
  std::size_t usual_limit = 0;  // where the call says nothing
  std::string path;             // as it was given, if it is not as it is shown; else ""
  PageRequest page;
  std::optional<std::size_t> capped;  // to so many lines
};

// `revision`: of the environment that the file is in, or "".
tool::Answer answer_of(const FileRead& read, const Asked& asked, const std::string& revision);

// The encoded characters that a page may take beside what its path takes: in the header, in the
// next call, in the facts.
std::size_t page_budget(const std::string& shown);

}  // namespace helve::workspace
