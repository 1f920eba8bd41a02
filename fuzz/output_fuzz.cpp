// What a command writes, down to the worst of terminals' bytes: the text is valid UTF-8 without
// control characters, the same however the bytes come in pieces, it only grows, and what is held
// back stays small.
#include "workspace/output.h"

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "base/text.h"

namespace {

using helve::workspace::Output;
using helve::workspace::ShownLine;

bool has_controls(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
  });
}

std::string render(std::string_view bytes, std::size_t piece) {
  Output output;
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    output.feed(bytes.substr(at, piece), out);
  }
  HELVE_CHECK(output.bytes() == bytes.size());
  output.finish(out);
  HELVE_CHECK(!output.has_partial());
  return out;
}

// Settled after each piece; what was said stays said.
void check_settled(std::string_view bytes, std::size_t piece) {
  Output output;
  std::string out;
  std::size_t size = 0;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    output.feed(bytes.substr(at, piece), out);
    output.settle(out);
    HELVE_CHECK(!output.has_partial());
    HELVE_CHECK(out.size() >= size);
    HELVE_CHECK(helve::is_utf8(std::string_view(out).substr(size)));
    size = out.size();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t piece = 1 + data[0];
  std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  // Now and then at the end of a line that is nearly too long to be held.
  if (data[0] == 255) bytes.insert(0, ShownLine::kMostHeld - 8, 'x');
  const std::string whole = render(bytes, bytes.size());
  HELVE_CHECK(helve::is_utf8(whole));
  HELVE_CHECK(!has_controls(whole));
  HELVE_CHECK(whole.size() <= 3 * bytes.size());
  HELVE_CHECK(render(bytes, piece) == whole);
  check_settled(bytes, piece);
  return 0;
}
