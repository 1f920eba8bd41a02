#include "policy/confinement.h"

#include <algorithm>
#include <array>

namespace helve::policy {
namespace {

constexpr std::array<std::string_view, 4> kWords = {"none", "paths", "full", "best"};

}  // namespace

std::optional<Confine> confine_of(std::string_view word) {
  const auto found = std::ranges::find(kWords, word);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<Confine>(found - kWords.begin());
}

std::string_view name_of(Confine level) { return kWords[static_cast<std::size_t>(level)]; }

}  // namespace helve::policy
