// Following what each page says is next gives the text of any file, each page within its budget;
// the sparse index finds every line where a plain search does.
#include <string>
#include <string_view>

#include "base/check.h"
#include "workspace/testing/read_through.h"

namespace {

using namespace helve::workspace;

void check_lines(Source& source, std::string_view bytes, const LineIndex& index) {
  const Encoding encoding = index.kind.encoding;
  std::uint64_t start = index.kind.bom, lines = 0;
  for (;; ++lines) {
    const auto found = start_of_line(index, source, lines);
    HELVE_CHECK(found && *found == start);
    const std::size_t end = find_line_end(bytes, start, encoding);
    if (end == std::string_view::npos) break;
    start = end + unit_of(encoding);
  }
  HELVE_CHECK(index.lines == lines);
  HELVE_CHECK(index.total() == lines + (start < bytes.size() ? 1 : 0));
}

void check_from_end(Source& source, const LineIndex& index, std::int64_t count) {
  LineIndex empty(index.kind);  // so that the lines are looked for backwards
  const PageRequest request{.offset = -count, .limit = 3};
  LineIndex known = index;
  const auto backwards = read_page(source, empty, request);
  const auto forwards = read_page(source, known, request);
  HELVE_CHECK(backwards && forwards && backwards->text == forwards->text);
  HELVE_CHECK(backwards->next.has_value() == forwards->next.has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  if (size < 4) return 0;
  const std::string_view piece(reinterpret_cast<const char*>(data) + 4, size - 4);
  std::string bytes;  // the piece over and over, for files of more than a block
  for (int i = 0; i <= data[3] && bytes.size() < 100'000; ++i) bytes += piece;
  const TextKind kind = kind_of(bytes);
  if (kind.encoding == Encoding::kBinary) return 0;

  Source source(bytes, "file");
  LineIndex index(kind);
  index.stride = std::uint64_t{1} << (data[0] % 8U);
  HELVE_CHECK(extend(index, source, {}));
  check_lines(source, bytes, index);
  check_from_end(source, index, data[1] + 1);

  const PageRequest request{.limit = data[1] + 1U, .budget = 1'000U + data[2] * 150U};
  const auto all = testing::read_through(source, index, request);
  HELVE_CHECK(all.text == testing::whole_text(bytes));
  HELVE_CHECK(all.largest <= request.budget);
  return 0;
}
