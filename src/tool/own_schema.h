// tool/own_schema.h
//
// The input schemas of the host's own tools, with their descriptions from the text table. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/json.h"
#include "base/texts.h"

namespace helve::tool {

inline JsonObject described(std::string_view type, std::string_view key) {
  return {{"type", type}, {"description", text(key)}};
}

// A number that its schema calls an integer; beyond what fits, the nearest that does.
inline std::int64_t saturated(const Json& number) {
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

// An object of these properties and no others.
inline Json closed_object(JsonObject properties, JsonArray required) {
  JsonObject schema{
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

}  // namespace helve::tool
