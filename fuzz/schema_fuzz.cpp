// A schema and an instance, a line each: the two ways through the validator agree, and the helpers
// take whatever JSON there is.
#include <string_view>

#include "base/check.h"
#include "base/texts.h"
#include "schema/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find('\n');
  const auto schema = helve::parse_json(text.substr(0, end));
  if (!schema) return 0;
  helve::schema::portability(*schema);
  helve::schema::example(*schema);
  const auto compiled = helve::schema::Schema::compile(*schema);
  if (!compiled) {
    HELVE_CHECK(!helve::render_text(compiled.error()).empty());
    return 0;
  }
  const auto instance =
      helve::parse_json(end == std::string_view::npos ? "null" : text.substr(end + 1));
  if (!instance) return 0;
  const auto violations = compiled->validate(*instance, 3);
  HELVE_CHECK(violations.size() <= 3);
  HELVE_CHECK(violations.empty() == compiled->accepts(*instance));
  compiled->accepts(helve::schema::coerce(*schema, *instance));
  return 0;
}
