#include "base/ids.h"

#include <sys/random.h>

#include <vector>

#include "base/check.h"
#include "base/hash.h"

namespace helve {

std::string random_hex(size_t bytes) {
  std::string raw(bytes, '\0');
  HELVE_CHECK(getrandom(raw.data(), raw.size(), 0) == static_cast<ssize_t>(raw.size()));
  return hex(raw);
}

std::string new_handle(std::string_view prefix) {
  constexpr size_t kHandleBytes = 8;
  return std::string(prefix) + '_' + random_hex(kHandleBytes);
}

}  // namespace helve
