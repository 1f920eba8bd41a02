// template/detail/controls.h
//
// The numeric controls `timeout`, `delay` (milliseconds, with a fraction) and `retry` (attempts):
// JSON numbers, or texts of decimal digits (CT-6). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "template/detail/errors.h"

namespace helve::tmpl {

// Nanoseconds for `invalid_timeout` and `invalid_delay`, attempts for `invalid_retry`; nothing for
// an empty text. Times beyond a hundred years are cut there, so that a deadline still fits 64 bits.
// Refused: the given error class.
Result<std::optional<std::int64_t>> control_value(const Json& value, std::string_view error_class);

}  // namespace helve::tmpl
