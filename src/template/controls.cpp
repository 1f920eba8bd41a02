#include "template/detail/controls.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "template/detail/value.h"

namespace helve::tmpl {
namespace {

constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;
constexpr std::int64_t kMostMilliseconds = 100LL * 365 * 24 * 60 * 60 * 1000;
constexpr size_t kFractionDigits = 6;

std::optional<std::int64_t> whole(std::string_view digits) {
  std::int64_t number = 0;
  if (!is_digits(digits)) return std::nullopt;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc()) return std::nullopt;
  return number;
}

std::int64_t nanoseconds(std::int64_t milliseconds, std::int64_t rest) {
  if (milliseconds >= kMostMilliseconds) return kMostMilliseconds * kNanosecondsPerMillisecond;
  return milliseconds * kNanosecondsPerMillisecond + rest;
}

// What is finer than a nanosecond is cut off, but a positive time stays positive: zero is none.
std::int64_t nanoseconds(std::int64_t milliseconds, std::int64_t rest, bool positive) {
  return std::max<std::int64_t>(nanoseconds(milliseconds, rest), positive ? 1 : 0);
}

// "250", "0.5"
std::optional<std::int64_t> time_of(std::string_view text) {
  const size_t dot = text.find('.');
  const auto milliseconds = whole(text.substr(0, dot));
  if (!milliseconds || dot == std::string_view::npos) {
    return milliseconds ? std::optional(nanoseconds(*milliseconds, 0)) : std::nullopt;
  }
  std::string fraction(text.substr(dot + 1));
  if (!is_digits(fraction)) return std::nullopt;
  const bool positive = fraction.find_first_not_of('0') != std::string::npos;
  fraction.resize(kFractionDigits, '0');
  return nanoseconds(*milliseconds, whole(fraction).value_or(0), positive);
}

std::optional<std::int64_t> time_of(const Json& number) {
  if (const auto milliseconds = integral(number)) {
    return *milliseconds < 0 ? std::nullopt : std::optional(nanoseconds(*milliseconds, 0));
  }
  if (!number.is_double()) return std::nullopt;
  const double value = number.get_double();
  if (!(value >= 0 && value < 9.2e18)) return std::nullopt;
  const double milliseconds = std::floor(value);
  return nanoseconds(static_cast<std::int64_t>(milliseconds),
                     static_cast<std::int64_t>((value - milliseconds) * 1e6), value > 0);
}

}  // namespace

Result<std::optional<std::int64_t>> control_value(const Json& value, std::string_view error_class) {
  const bool attempts = error_class == "invalid_retry";
  std::optional<std::int64_t> number;
  if (value.is_string()) {
    const std::string_view text = trim(as_text(value));
    if (text.empty()) return std::nullopt;
    number = attempts ? whole(text) : time_of(text);
  } else if (value.is_number()) {
    number = attempts ? integral(value) : time_of(value);
  }
  if (!number || (attempts && *number < 1)) return fail(error_class);
  return number;
}

}  // namespace helve::tmpl
