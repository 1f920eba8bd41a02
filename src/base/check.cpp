#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace helve {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "helve: broken promise: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace helve
