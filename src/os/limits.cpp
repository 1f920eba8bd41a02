#include "os/limits.h"

namespace helve::os {
namespace {

std::optional<rlimit>& before() {
  static std::optional<rlimit> limit;
  return limit;
}

}  // namespace

void raise_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  const rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) before() = limit;
}

std::optional<rlimit> open_files_before() { return before(); }

}  // namespace helve::os
