// base/check.h
//
// HELVE_CHECK(condition) stops the program when our own code broke a promise; the message names the
// condition and the place. It never judges input: input that is wrong is a Refusal.
#pragma once

namespace helve {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}  // namespace helve

#define HELVE_CHECK(condition) \
  ((condition) ? void() : ::helve::check_failed(#condition, __FILE__, __LINE__))
