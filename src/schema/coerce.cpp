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

// The words that CT-49 takes for a truth value, in any case.
std::optional<bool> truth_of(std::string_view written) {
  const std::string word = lower_ascii(written);
  if (word == "true" || word == "yes" || word == "1") return true;
  if (word == "false" || word == "no" || word == "0") return false;
  return std::nullopt;
}

Json text_to(unsigned wanted, const Json& text) {
  const std::string_view written = trim(as_text(text));
  if (written.empty()) return text;
  if (wanted == kBoolean) {
    if (const auto truth = truth_of(written)) return *truth;
  }
  const auto parsed = parse_json(written, HalfPairs::kRefused);
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

// Hosts send null for an argument that they do not give; where the schema has no null it says that
// the member is absent (CT-29).
bool is_left_out(const Json& property, const Json& value) {
  const unsigned wanted = wanted_types(property);
  return value.is_null() && wanted != 0 && (wanted & kNull) == 0;
}

}  // namespace

Json coerce(const Json& schema, const Json& instance) {
  Json out = convert(wanted_types(schema), instance);
  if (const Json* items = find(schema, "items"); items != nullptr && out.is_array()) {
    for (Json& item : out.get_array()) item = coerce(*items, item);
  }
  const Json* properties = find(schema, "properties");
  if (properties == nullptr || !properties->is_object() || !out.is_object()) return out;
  JsonObject given = std::move(out.get_object());
  JsonObject& kept = out.emplace_object();
  for (auto& member : given) {
    const Json* property = find(*properties, member.key());
    if (property == nullptr) {
      kept.emplace(member.key(), std::move(member.value()));
    } else if (!is_left_out(*property, member.value())) {
      kept.emplace(member.key(), coerce(*property, member.value()));
    }
  }
  return out;
}

}  // namespace helve::schema
