#include <cmath>

#include "base/text.h"
#include "schema/detail/numbers.h"
#include "schema/detail/program.h"
#include "schema/schema.h"

namespace helve::schema {
namespace {

unsigned wanted_types(const Json& schema) {
  const Json* type = find(schema, "type");
  if (type == nullptr) return 0;
  if (type->is_string()) return type_bit(as_text(*type));
  unsigned types = 0;
  if (type->is_array()) {
    for (const Json& one : type->get_array()) {
      if (one.is_string()) types |= type_bit(as_text(one));
    }
  }
  return types;
}

// "3.0" and "1e3" where an integer is wanted: the integer itself, so that programs see one form.
Json as_whole(const Json& number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!number.is_double() || std::abs(number.get_double()) > kExact) return number;
  return static_cast<std::int64_t>(number.get_double());
}

Json text_to(unsigned wanted, const Json& text) {
  const std::string_view written = trim(as_text(text));
  if (written.empty()) return text;
  const auto parsed = parse_json(written);
  if (!parsed || parsed->is_string() || (type_bits(*parsed) & wanted) == 0) return text;
  return (wanted & kInteger) != 0 && parsed->is_number() ? as_whole(*parsed) : *parsed;
}

Json convert(unsigned wanted, const Json& instance) {
  if (wanted == 0 || (wanted & type_bits(instance)) != 0) return instance;
  if (instance.is_string()) return text_to(wanted, instance);
  const bool scalar = instance.is_number() || instance.is_bool();
  if (scalar && (wanted & kString) != 0) return Json(write_json(instance));
  return instance;
}

}  // namespace

Json coerce(const Json& schema, const Json& instance) {
  Json out = convert(wanted_types(schema), instance);
  if (const Json* items = find(schema, "items"); items != nullptr && out.is_array()) {
    for (Json& item : out.get_array()) item = coerce(*items, item);
  }
  const Json* properties = find(schema, "properties");
  if (properties == nullptr || !properties->is_object() || !out.is_object()) return out;
  for (auto& member : out.get_object()) {
    const Json* property = find(*properties, member.key());
    if (property != nullptr) member.value() = coerce(*property, member.value());
  }
  return out;
}

}  // namespace helve::schema
