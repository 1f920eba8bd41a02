#include "base/hash.h"

// The one-shot calls of OpenSSL 3 pull in its whole provider machinery; these do not.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

namespace helve {

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

std::string sha256_hex(std::string_view bytes) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &context);
  return hex(digest);
}

}  // namespace helve
