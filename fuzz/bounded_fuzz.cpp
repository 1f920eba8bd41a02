// Texts of any form between any limits: never more than allowed, nothing cut inside a character,
// and what is left out is counted exactly.
#include "workspace/bounded.h"

#include <cstdint>

#include "base/check.h"
#include "base/encoded.h"
#include "base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace helve::workspace;
  if (size < 5) return 0;
  const std::size_t limit = 1'000 + 64 * std::size_t{data[0]};
  const std::size_t budget = 1'000 + 64 * std::size_t{data[1]};
  std::string text = helve::to_utf8({reinterpret_cast<const char*>(data + 4), size - 4});
  const std::string once = text;
  for (int times = data[2]; times > 0 && text.size() < 200'000; --times) text += once;
  Elsewhere elsewhere{.path = ".helve/results/c.txt"};
  if (data[3] % 2 == 0) elsewhere = {.reason = once};
  const Bounded bounded = bound_text(text, limit, budget, elsewhere);
  HELVE_CHECK(helve::is_utf8(bounded.text));
  HELVE_CHECK(bounded.text.size() <= limit);
  HELVE_CHECK(helve::encoded_size(bounded.text) <= budget);
  HELVE_CHECK(bounded.left_out.bytes <= text.size());
  HELVE_CHECK(bounded.left_out.lines <= bounded.left_out.bytes);
  if (fits(text, limit, budget)) {
    HELVE_CHECK(bounded.text == text && bounded.left_out == LeftOut());
  } else {
    HELVE_CHECK(bounded.text != text);
    // Each remark is longer than nothing, so all that is shown of the text is less.
    HELVE_CHECK(text.size() - bounded.left_out.bytes < bounded.text.size());
  }
  return 0;
}
