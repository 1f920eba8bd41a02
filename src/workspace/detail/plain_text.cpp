#include "workspace/detail/plain_text.h"

#include <cstdint>
#include <string>

#include "base/text.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kBlock = 64;

// Plain ASCII, line ends and tabs. Whole blocks without a branch, so that the compiler makes vector
// code of it.
std::size_t ascii_prefix(std::string_view bytes) {
  const auto special = [](unsigned char c) {
    const bool control = (c < 0x20) & (c != '\n') & (c != '\t');
    return static_cast<std::uint8_t>(control | (c >= 0x7F));
  };
  std::size_t at = 0;
  for (; at + kBlock <= bytes.size(); at += kBlock) {
    std::uint8_t any = 0;
    for (std::size_t i = 0; i < kBlock; ++i) {
      any = static_cast<std::uint8_t>(any | special(static_cast<unsigned char>(bytes[at + i])));
    }
    if (any != 0) break;
  }
  while (at < bytes.size() && special(static_cast<unsigned char>(bytes[at])) == 0) ++at;
  return at;
}

// The length of the character at the start, which is not ASCII; 0 if it is not plain.
std::size_t wide_character(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const std::size_t length = character_length(byte(0));
  if (length < 2 || length > bytes.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues_character(bytes[i])) return 0;
  }
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  const bool control = first == 0xC2 && second < 0xA0;
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return control || overlong || outside ? 0 : length;
}

}  // namespace

std::size_t plain_prefix(std::string_view bytes) {
  std::size_t at = ascii_prefix(bytes);
  while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) >= 0x80) {
    const std::size_t length = wide_character(bytes.substr(at));
    if (length == 0) break;
    at += length;
    if (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) {
      at += ascii_prefix(bytes.substr(at));
    }
  }
  return at;
}

std::size_t character_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

bool begins_character(std::string_view bytes) {
  const std::size_t length = character_length(static_cast<unsigned char>(bytes[0]));
  if (length <= bytes.size()) return false;
  if (bytes.size() == 1) return true;  // what may come second depends on the first
  std::string whole(bytes);
  whole.resize(length, '\x80');
  return is_utf8(whole);
}

}  // namespace helve::workspace
