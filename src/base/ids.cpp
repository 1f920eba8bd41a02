#include "base/ids.h"

#include <sys/random.h>

#include <cerrno>

#include "base/check.h"
#include "base/hash.h"

namespace helve {

std::string random_bytes(size_t bytes) {
  std::string raw(bytes, '\0');
  for (size_t filled = 0; filled < bytes;) {  // large requests may come in parts
    const ssize_t got = getrandom(raw.data() + filled, bytes - filled, 0);
    HELVE_CHECK(got > 0 || errno == EINTR);
    if (got > 0) filled += static_cast<size_t>(got);
  }
  return raw;
}

std::string random_hex(size_t bytes) { return hex(random_bytes(bytes)); }

std::string new_handle(std::string_view prefix) {
  constexpr size_t kHandleBytes = 8;
  return std::string(prefix) + '_' + random_hex(kHandleBytes);
}

}  // namespace helve
