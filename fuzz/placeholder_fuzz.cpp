// Placeholders and expressions, inside a repeat instance and outside: always an answer, and
// call-time text is never read again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "template/parts.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const helve::JsonObject values = {
      {"a", text}, {"xs", helve::JsonArray{1, "two", nullptr}}, {"n", 2}, {"e", ""}};
  const auto inside = helve::tmpl::replace_text(text, {.index = 2, .repeat = 7}, values);
  if (text.find('{') == std::string::npos) HELVE_CHECK(!inside || *inside == text);
  helve::tmpl::LeafCase leaf{.text = "x '" + text + "'",
                             .defaults = helve::JsonObject{{"d", text}, {"f", "{d}"}},
                             .values = values};
  (void)helve::tmpl::expand_leaf(leaf);
  leaf.text = "x {f} {d}";
  (void)helve::tmpl::expand_leaf(leaf);
  const auto final_text = helve::tmpl::expand_leaf({.text = "x {a}", .values = values});
  if (text.find('\0') == std::string::npos) {
    HELVE_CHECK(final_text && final_text->argv.at(1) == text);
  }
  (void)helve::tmpl::repeat_count(helve::Json(text), values);
  return 0;
}
