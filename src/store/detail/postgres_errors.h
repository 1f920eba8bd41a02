// store/detail/postgres_errors.h
//
// What an error of the server means for us, by its SQLSTATE. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/refusal.h"

namespace helve::store {

enum class Trouble : std::uint8_t {
  kNone,
  kAgain,    // the same transaction may succeed at once: others were in its way
  kBroken,   // the connection is gone, or of no more use
  kSilent,   // no answer in time
  kStopped,  // we are closing
  kRefused,  // the server said no; the connection is fine
  kOurs,     // a wrong statement
};

Trouble trouble_of(std::string_view sqlstate);

// `message` is the server's own sentence; without values of rows and without secrets.
Refusal refusal_of(std::string_view sqlstate, std::string message);

}  // namespace helve::store
