// host/table.h
//
// Rows of words in columns, for people: the first row is the heading. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "host/console.h"

namespace helve::host {

using TableRow = std::vector<std::string>;

// Columns as wide as their widest cell; the last one is cut at the terminal's edge. `rows` is not
// empty, and all are as long as the first.
std::string table_text(const std::vector<TableRow>& rows, const Console& console);

}  // namespace helve::host
