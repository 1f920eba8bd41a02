#include "schema/detail/numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace helve::schema {
namespace {

using boost::json::kind;
__extension__ using Wide = unsigned __int128;

// An integer as sign and magnitude, so that int64 and uint64 meet in one form.
struct Whole {
  bool negative;
  std::uint64_t magnitude;
  auto operator<=>(const Whole& other) const {
    const auto by_magnitude = magnitude <=> other.magnitude;
    if (negative != other.negative)
      return negative ? std::strong_ordering::less : std::strong_ordering::greater;
    return negative ? 0 <=> by_magnitude : by_magnitude;
  }
  bool operator==(const Whole&) const = default;
};

Whole whole_of(const Json& integer) {
  if (integer.is_uint64()) return {false, integer.get_uint64()};
  const std::int64_t value = integer.get_int64();
  return {value < 0,
          value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value)};
}

std::partial_ordering compare_mixed(Whole integer, double number) {
  if (std::isnan(number)) return std::partial_ordering::unordered;
  constexpr double kTop = 18446744073709551616.0;  // 2^64
  if (number >= kTop) return std::partial_ordering::less;
  if (number <= -kTop) return std::partial_ordering::greater;
  const double floor = std::trunc(number);
  const Whole truncated{floor < 0, static_cast<std::uint64_t>(std::abs(floor))};
  if (integer != truncated) return integer <=> truncated;
  return floor <=> number;  // the fraction decides
}

// magnitude * 10^exponent, from the shortest decimal text of the number.
struct Decimal {
  std::uint64_t magnitude;
  int exponent;
};

Decimal decimal_of(const Json& number) {
  if (!number.is_double()) return {whole_of(number).magnitude, 0};
  char buffer[40];
  const char* const end =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(number.get_double()),
                    std::chars_format::scientific)
          .ptr;
  Decimal out{0, 0};
  const char* at = buffer;
  bool fraction = false;
  for (; at < end && *at != 'e'; ++at) {
    if (*at == '.') {
      fraction = true;
      continue;
    }
    out.magnitude = out.magnitude * 10 + static_cast<std::uint64_t>(*at - '0');
    if (fraction) --out.exponent;
  }
  int exponent = 0;
  if (at < end) std::from_chars(at + (at[1] == '+' ? 2 : 1), end, exponent);
  out.exponent += exponent;
  return out;
}

std::uint64_t power_modulo(int exponent, std::uint64_t modulus) {
  Wide result = 1 % modulus;
  Wide base = 10 % modulus;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = result * base % modulus;
    base = base * base % modulus;
  }
  return static_cast<std::uint64_t>(result);
}

bool same_object(const JsonObject& a, const JsonObject& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& member) {
           const Json* other = b.if_contains(member.key());
           return other != nullptr && same_value(member.value(), *other);
         });
}

size_t mix(size_t seed, size_t value) {
  return (seed ^ (value + 0x9E3779B97F4A7C15U + (seed << 6U) + (seed >> 2U))) * 0xFF51AFD7ED558CCDU;
}

size_t hash_number(const Json& number) {
  if (!number.is_double()) return std::hash<std::uint64_t>()(whole_of(number).magnitude);
  const double size = std::abs(number.get_double());
  if (size < 18446744073709551616.0 && std::trunc(size) == size) {
    return std::hash<std::uint64_t>()(static_cast<std::uint64_t>(size));
  }
  return std::hash<double>()(size);
}

}  // namespace

std::partial_ordering compare_numbers(const Json& a, const Json& b) {
  if (a.is_double() && b.is_double()) return a.get_double() <=> b.get_double();
  if (a.is_double()) return 0 <=> compare_mixed(whole_of(b), a.get_double());
  if (b.is_double()) return compare_mixed(whole_of(a), b.get_double());
  return whole_of(a) <=> whole_of(b);
}

bool is_whole(const Json& number) {
  return !number.is_double() || (std::isfinite(number.get_double()) &&
                                 std::trunc(number.get_double()) == number.get_double());
}

bool is_multiple(const Json& number, const Json& step) {
  if (number.is_double() && !std::isfinite(number.get_double())) return false;
  Decimal value = decimal_of(number);
  const Decimal unit = decimal_of(step);
  if (value.magnitude == 0) return true;
  while (value.magnitude % 10 == 0) {
    value.magnitude /= 10;
    ++value.exponent;
  }
  const int shift = value.exponent - unit.exponent;
  if (shift >= 0) {
    const Wide rest = Wide(value.magnitude % unit.magnitude) * power_modulo(shift, unit.magnitude);
    return rest % unit.magnitude == 0;
  }
  // unit.magnitude ends in -shift more zeros than the value has, unless it brings zeros of its own.
  std::uint64_t divisor = unit.magnitude;
  for (int zeros = -shift; zeros > 0; --zeros) {
    if (divisor > value.magnitude / 10) return false;
    divisor *= 10;
  }
  return value.magnitude % divisor == 0;
}

bool same_value(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return compare_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case kind::array:
      return std::equal(a.get_array().begin(), a.get_array().end(), b.get_array().begin(),
                        b.get_array().end(), same_value);
    case kind::object:
      return same_object(a.get_object(), b.get_object());
    default:
      return a == b;
  }
}

size_t hash_value(const Json& value) {
  switch (value.kind()) {
    case kind::null:
      return 1;
    case kind::bool_:
      return value.get_bool() ? 3 : 2;
    case kind::string:
      return mix(4, std::hash<std::string_view>()(as_text(value)));
    case kind::array: {
      size_t hash = 5;
      for (const Json& item : value.get_array()) hash = mix(hash, hash_value(item));
      return hash;
    }
    case kind::object: {
      size_t hash = 6 + value.get_object().size();
      for (const auto& member : value.get_object()) {  // a sum: the order does not count
        hash += mix(std::hash<std::string_view>()(std::string_view(member.key())),
                    hash_value(member.value()));
      }
      return hash;
    }
    default:
      return mix(7, hash_number(value));
  }
}

}  // namespace helve::schema
