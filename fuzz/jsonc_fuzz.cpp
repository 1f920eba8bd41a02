// Configuration text: offsets are kept, what is read is JSON, and every pointer has a place.
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/jsonc.h"
#include "base/texts.h"

namespace {

void locate_all(const helve::JsonDocument& document, const helve::Json& value,
                const std::string& pointer) {
  const helve::Position at = document.locate(pointer);
  HELVE_CHECK(at.line >= 1 && at.column >= 1);
  if (pointer.size() > 60) return;  // a search from the top for each: deep ones take long
  if (value.is_object()) {
    for (const auto& member : value.get_object()) {
      locate_all(document, member.value(), helve::pointer_to(pointer, member.key()));
    }
  } else if (value.is_array()) {
    size_t index = 0;
    for (const helve::Json& item : value.get_array()) {
      if (index > 20) break;
      locate_all(document, item, helve::pointer_to(pointer, index++));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  const auto document = helve::parse_jsonc(source);
  if (!document) {
    HELVE_CHECK(!helve::render_text(document.error()).empty());
    return 0;
  }
  HELVE_CHECK(document->text.size() == source.size());
  const auto plain = helve::parse_json(document->text);
  HELVE_CHECK(plain && helve::write_json(*plain) == helve::write_json(document->value));
  locate_all(*document, document->value, "");
  return 0;
}
