// schema/detail/numbers.h
//
// Numbers and equality as JSON Schema means them: 1 and 1.0 are the same value, 64-bit integers and
// doubles compare without rounding, `multipleOf` reckons in decimals. Pure; any thread.
#pragma once

#include <compare>
#include <cstddef>

#include "base/json.h"

namespace helve::schema {

// Both are numbers. Unordered only with a NaN, which no JSON text holds.
std::partial_ordering compare_numbers(const Json& a, const Json& b);

// A number without a fraction: 3, 3.0, 1e3.
bool is_whole(const Json& number);

// `step` > 0. Exact for the decimal text of both: 0.3 is a multiple of 0.1.
bool is_multiple(const Json& number, const Json& step);

// Equality of JSON Schema: numbers by value, objects without regard to order.
bool same_value(const Json& a, const Json& b);

// Equal values have equal hashes.
size_t hash_value(const Json& value);

}  // namespace helve::schema
