// What the reader takes, the writer writes and the reader takes again, as the same text; lines of
// any bytes come out as valid UTF-8.
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "base/refusal.h"
#include "base/text.h"
#include "base/texts.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string line;
  helve::append_json_string(line, text);
  HELVE_CHECK(helve::is_utf8(line));
  const auto read_line = helve::parse_json(line);
  HELVE_CHECK(read_line && helve::as_text(*read_line) == helve::to_utf8(text));

  const auto value = helve::parse_json(text);
  if (!value) {
    HELVE_CHECK(!helve::render_text(value.error()).empty());
    return 0;
  }
  const std::string written = helve::write_json(*value);
  HELVE_CHECK(helve::is_utf8(written));
  const auto again = helve::parse_json(written);
  // A double by itself is laid out like ECMAScript, digits that the reader refuses among them.
  if (!again && value->is_double()) return 0;
  HELVE_CHECK(again && helve::write_json(*again) == written);
  const auto pretty = helve::parse_json(helve::write_json(*value, helve::JsonStyle::kPretty));
  HELVE_CHECK(pretty && helve::write_json(*pretty) == written);
  return 0;
}
