#include "base/encoded.h"

#include <array>

#include "base/text.h"

namespace helve {
namespace {

// What each character of ASCII costs.
constexpr auto kCosts = [] {
  std::array<unsigned char, 0x80> costs{};
  for (size_t c = 0; c < costs.size(); ++c) costs[c] = c < 0x20 || c == 0x7F ? 6 : 1;
  for (const char c : {'"', '\\', '\n', '\r', '\t', '\b', '\f'}) costs[static_cast<size_t>(c)] = 2;
  return costs;
}();

// The cost of the character at `at`, which moves behind it.
size_t next_cost(std::string_view text, size_t& at) {
  const auto c = static_cast<unsigned char>(text[at]);
  if (c >= 0x80) return next_code_point(text, at) > 0xFFFF ? 2 : 1;
  ++at;
  return kCosts[c];
}

}  // namespace

size_t encoded_size(std::string_view text) {
  size_t size = 0;
  for (size_t at = 0; at < text.size();) size += next_cost(text, at);
  return size;
}

std::string_view encoded_prefix(std::string_view text, size_t budget) {
  size_t kept = 0;
  for (size_t at = 0, size = 0; at < text.size(); kept = at) {
    size += next_cost(text, at);
    if (size > budget) break;
  }
  return text.substr(0, kept);
}

}  // namespace helve
