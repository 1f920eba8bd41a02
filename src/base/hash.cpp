#include "base/hash.h"

#include <initializer_list>

// The one-shot calls of OpenSSL 3, HMAC's among them, pull in its whole provider machinery; these
// do not.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/sha.h>

namespace helve {
namespace {

std::string digest_of(std::initializer_list<std::string_view> parts) {
  SHA256_CTX context;
  SHA256_Init(&context);
  for (const std::string_view part : parts) SHA256_Update(&context, part.data(), part.size());
  std::string digest(kDigestBytes, '\0');
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &context);
  return digest;
}

std::string masked(std::string key, unsigned char mask) {
  for (char& c : key) c = static_cast<char>(static_cast<unsigned char>(c) ^ mask);
  return key;
}

}  // namespace

struct Sha256::State {
  SHA256_CTX context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) { SHA256_Init(&state_->context); }
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  SHA256_Update(&state_->context, bytes.data(), bytes.size());
}

std::string Sha256::finish() {
  std::string digest(kDigestBytes, '\0');
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &state_->context);
  return digest;
}

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4U];
    out += kDigits[static_cast<unsigned char>(c) & 15U];
  }
  return out;
}

std::string sha256(std::string_view bytes) { return digest_of({bytes}); }

std::string sha256_hex(std::string_view bytes) { return hex(sha256(bytes)); }

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  std::string block = key.size() > SHA256_CBLOCK ? sha256(key) : std::string(key);
  block.resize(SHA256_CBLOCK, '\0');
  return digest_of({masked(block, 0x5C), digest_of({masked(block, 0x36), bytes})});
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace helve
