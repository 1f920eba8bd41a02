#include "mcp/detail/lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace helve::mcp {
namespace {

constexpr size_t kLimit = 8;

// Feeds `parts` one after the other; lines come back joined by '|', one that was too long as '!'.
std::string lines_of(const std::vector<std::string>& parts, size_t limit = kLimit) {
  Lines lines(limit);
  std::string out;
  const auto add = [&](const Line& line) {
    out += line.too_long ? "!" : line.text;
    out += '|';
  };
  for (std::string_view part : parts) {
    while (!part.empty()) {
      const auto space = lines.space();
      const size_t count = std::min(space.size(), part.size());
      std::copy_n(part.begin(), count, space.begin());
      lines.filled(count);
      part.remove_prefix(count);
      while (const auto line = lines.next()) add(*line);
    }
  }
  if (const auto line = lines.last()) add(*line);
  return out;
}

struct Case {
  const char* name;
  std::vector<std::string> parts;
  const char* want;
};
const Case kCases[] = {
    {"two lines at once", {"a\nb\n"}, "a|b|"},
    {"a line in pieces", {"a", "b", "\nc\n"}, "ab|c|"},
    {"R14 CRLF, also split", {"a\r\nb\r", "\n"}, "a|b|"},
    {"R14 a byte order mark, also split", {"\xEF", "\xBB\xBF", "a\n"}, "a|"},
    {"the mark only at the start",
     {"a\n\xEF\xBB\xBF"
      "b\n"},
     "a|\xEF\xBB\xBF"
     "b|"},
    {"R14 a character split between reads", {"\xC3", "\xA4\n"}, "\xC3\xA4|"},
    {"empty lines", {"\n\n"}, "||"},
    {"no line end at the end of input", {"a\nb"}, "a|b|"},
    {"exactly the limit", {"12345678\na\n"}, "12345678|a|"},
    {"one more", {"123456789\na\n"}, "!|a|"},
    {"much more, in pieces", {"12345678", "12345678", "1234", "5678\na\n"}, "!|a|"},
    {"too long to the end of input", {"1234567890", "12"}, "!|"},
    {"nothing", {}, ""},
};

TEST(Lines, ComeOutWhole) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(lines_of(c.parts), c.want);
  }
}

TEST(Lines, OfMegabytesComeOutWhole) {
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(lines_of({"a\n" + large + "\nb\n"}, 4'000'000), "a|" + large + "|b|");
}

}  // namespace
}  // namespace helve::mcp
