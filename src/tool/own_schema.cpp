#include "tool/own_schema.h"

#include <algorithm>
#include <limits>

#include "base/texts.h"

namespace helve::tool {

JsonObject described(std::string_view type, std::string_view key, const Texts& args) {
  return {{"type", type}, {"description", text(key, args)}};
}

JsonObject ranged(JsonObject property, std::int64_t least, std::optional<std::int64_t> most) {
  property["minimum"] = least;
  if (most) property["maximum"] = *most;
  return property;
}

Json closed_object(JsonObject properties, JsonArray required) {
  JsonObject schema{
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

std::int64_t saturated(const Json& number) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  if (number.is_int64()) return number.get_int64();
  if (number.is_uint64()) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(number.get_uint64(), kMost));
  }
  const double value = number.get_double();
  if (value >= kBeyond) return kMost;
  return value < -kBeyond ? std::numeric_limits<std::int64_t>::min()
                          : static_cast<std::int64_t>(value);
}

std::int64_t integer_in(const JsonObject& arguments, std::string_view name,
                        std::int64_t otherwise) {
  const Json* value = find(arguments, name);
  return value == nullptr ? otherwise : saturated(*value);
}

}  // namespace helve::tool
