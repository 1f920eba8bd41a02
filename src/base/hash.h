// base/hash.h
//
// SHA-256 (FIPS 180-4), HMAC with it (RFC 2104), hex digits. Pure; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace helve {

inline constexpr size_t kDigestBytes = 32;

std::string hex(std::string_view bytes);  // lower case

// Of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();
  void update(std::string_view bytes);
  std::string finish();  // kDigestBytes raw bytes; nothing may be added after it

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256(std::string_view bytes);      // kDigestBytes raw bytes
std::string sha256_hex(std::string_view bytes);  // 64 digits

std::string hmac_sha256(std::string_view key, std::string_view bytes);  // kDigestBytes raw bytes

// For secrets: how long it takes tells nothing but the sizes.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace helve
