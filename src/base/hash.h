// base/hash.h
//
// SHA-256 (FIPS 180-4), HMAC with it (RFC 2104), hex digits. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace helve {

inline constexpr size_t kDigestBytes = 32;

std::string hex(std::string_view bytes);  // lower case

std::string sha256(std::string_view bytes);      // kDigestBytes raw bytes
std::string sha256_hex(std::string_view bytes);  // 64 digits

std::string hmac_sha256(std::string_view key, std::string_view bytes);  // kDigestBytes raw bytes

// For secrets: how long it takes tells nothing but the sizes.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace helve
