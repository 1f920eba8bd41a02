#include "host/table.h"

#include <algorithm>

namespace helve::host {

std::string table_text(const std::vector<TableRow>& rows, const Console& console) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const TableRow& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string out;
  for (size_t r = 0; r < rows.size(); ++r) {
    std::string line;
    for (size_t i = 0; i < rows[r].size(); ++i) {
      line += rows[r][i];
      if (i + 1 < rows[r].size()) line.append(widths[i] - columns_of(rows[r][i]) + 2, ' ');
    }
    while (line.ends_with(' ')) line.pop_back();
    line = cut_to(line, console.width);
    out += (r == 0 ? inked(line, Ink::kStrong, console.color_out) : line) + '\n';
  }
  return out;
}

}  // namespace helve::host
