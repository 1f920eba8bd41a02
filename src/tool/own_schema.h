// tool/own_schema.h
//
// The host's own tools: their input schemas, with descriptions from the text table, and how their
// whole numbers are read. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "base/refusal.h"

namespace helve::tool {

JsonObject described(std::string_view type, std::string_view key, const Texts& args = {});

// A whole number of at least `least`, and of at most `most` if there is one.
JsonObject ranged(JsonObject property, std::int64_t least, std::optional<std::int64_t> most = {});

// An object of these properties and no others.
Json closed_object(JsonObject properties, JsonArray required);

// A number that its schema calls an integer; beyond what fits, the nearest that does.
std::int64_t saturated(const Json& number);

// The same of an argument, or `otherwise` where it was not given.
std::int64_t integer_in(const JsonObject& arguments, std::string_view name, std::int64_t otherwise);

}  // namespace helve::tool
