#include "base/base64.h"

#include <array>
#include <cstdint>

namespace helve {
namespace {

constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr size_t kGroup = 4;  // digits that stand for kBytes bytes
constexpr size_t kBytes = 3;
constexpr std::uint8_t kNoDigit = 64;

using Values = std::array<std::uint8_t, 256>;

constexpr Values values_of(std::string_view alphabet) {
  Values values{};
  values.fill(kNoDigit);
  for (size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr Values kPlainValues = values_of(kPlain);
constexpr Values kUrlValues = values_of(kUrl);

std::string encode(std::string_view bytes, std::string_view alphabet) {
  std::string out;
  out.reserve((bytes.size() + kBytes - 1) / kBytes * kGroup);
  for (size_t at = 0; at < bytes.size(); at += kBytes) {
    const std::string_view part = bytes.substr(at, kBytes);
    std::uint32_t bits = 0;
    for (size_t i = 0; i < kBytes; ++i) {
      bits = bits << 8U | (i < part.size() ? static_cast<unsigned char>(part[i]) : 0U);
    }
    for (size_t i = 0; i <= part.size(); ++i) out += alphabet[bits >> (18 - 6 * i) & 63U];
  }
  return out;
}

// `digits` has no padding.
std::optional<std::string> decode(std::string_view digits, const Values& values) {
  const size_t over = digits.size() % kGroup;
  if (over == 1) return std::nullopt;
  std::string out;
  out.reserve(digits.size() / kGroup * kBytes + kBytes);
  std::uint32_t bits = 0;
  size_t held = 0;  // bits that have not become a byte yet
  for (const char c : digits) {
    const std::uint8_t value = values[static_cast<unsigned char>(c)];
    if (value == kNoDigit) return std::nullopt;
    bits = bits << 6U | value;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>(bits >> held & 255U);
  }
  if ((bits & ((1U << held) - 1)) != 0) return std::nullopt;
  return out;
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string out = encode(bytes, kPlain);
  out.append((kGroup - out.size() % kGroup) % kGroup, '=');
  return out;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % kGroup != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return decode(text, kPlainValues);
}

std::string encode_base64url(std::string_view bytes) { return encode(bytes, kUrl); }

std::optional<std::string> decode_base64url(std::string_view text) {
  return decode(text, kUrlValues);
}

}  // namespace helve
