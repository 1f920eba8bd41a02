// base/hash.h
//
// SHA-256 (FIPS 180-4) and hex digits. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace helve {

std::string hex(std::string_view bytes);  // lower case

std::string sha256_hex(std::string_view bytes);  // 64 digits

}  // namespace helve
