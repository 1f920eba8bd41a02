// base/ids.h
//
// Handles and other names that nobody can guess: 16 hex digits from the system's random source; and
// raw bytes of it for keys.
#pragma once

#include <string>
#include <string_view>

namespace helve {

// "run" gives "run_0f3a...": the prefix, an underscore, 16 lower-case hex digits.
std::string new_handle(std::string_view prefix);

std::string random_hex(size_t bytes);

std::string random_bytes(size_t bytes);

}  // namespace helve
