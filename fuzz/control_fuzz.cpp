// Lines of the control socket, both ways: a request that is read is written as it was, a refusal
// that comes from another helve has words here.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/texts.h"
#include "host/detail/control_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace helve;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto request = host::read_control_line(input)) {
    const auto again = host::read_control_line(host::control_line(*request));
    HELVE_CHECK(again && again->verb == request->verb && again->job == request->job &&
                again->cursor == request->cursor);
  }
  const auto answer = parse_json(input);
  if (!answer) return 0;
  const auto refusal = host::read_refusal(*answer);
  if (!refusal) return 0;
  HELVE_CHECK(!render(*refusal).message.empty());
  HELVE_CHECK(host::read_refusal(*parse_json(host::refusal_line(*refusal)))->rule == refusal->rule);
  return 0;
}
