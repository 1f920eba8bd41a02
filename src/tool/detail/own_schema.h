// tool/detail/own_schema.h
//
// The input schemas of the host's own tools, with their descriptions from the text table. Pure.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/texts.h"

namespace helve::tool {

inline JsonObject described(std::string_view type, std::string_view key) {
  return {{"type", type}, {"description", text(key)}};
}

// An object of these properties and no others.
inline Json closed_object(JsonObject properties, JsonArray required) {
  JsonObject schema{
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

}  // namespace helve::tool
