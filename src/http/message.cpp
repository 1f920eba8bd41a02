#include "http/message.h"

#include <algorithm>

namespace helve::http {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view without_blanks(std::string_view value) {
  const size_t first = value.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return value.substr(first, value.find_last_not_of(" \t") - first + 1);
}

}  // namespace

void Headers::set(std::string name, std::string value) {
  std::erase_if(all_, [&](const Header& header) { return same_name(header.name, name); });
  add(std::move(name), std::move(value));
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  const auto found = std::find_if(
      all_.begin(), all_.end(), [&](const Header& header) { return same_name(header.name, name); });
  if (found == all_.end()) return std::nullopt;
  return without_blanks(found->value);
}

size_t Headers::count(std::string_view name) const {
  return static_cast<size_t>(std::count_if(all_.begin(), all_.end(), [&](const Header& header) {
    return same_name(header.name, name);
  }));
}

}  // namespace helve::http
