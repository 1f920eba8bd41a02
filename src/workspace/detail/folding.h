// workspace/detail/folding.h
//
// Lines as they are compared when only their words count: ASCII in lower case, runs of blanks as
// one, none at the ends, straight quotes and dashes. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace helve::workspace {

void fold_line(std::string& out, std::string_view line);  // out is replaced

}  // namespace helve::workspace
