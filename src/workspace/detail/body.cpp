#include "workspace/detail/body.h"

#include "base/text.h"

namespace helve::workspace {
namespace {

bool is_high(char32_t c) { return c >= 0xD800 && c <= 0xDBFF; }
bool is_low(char32_t c) { return c >= 0xDC00 && c <= 0xDFFF; }

std::size_t utf8_size(char32_t c) {
  if (c < 0x80) return 1;
  if (c < 0x800) return 2;
  return c < 0x10000 ? 3 : 4;
}

void append(std::string& out, char32_t c) {
  if (!is_high(c) && !is_low(c)) return append_utf8(out, c);
  out += static_cast<char>(0xE0U | (c >> 12U));
  out += static_cast<char>(0x80U | ((c >> 6U) & 0x3FU));
  out += static_cast<char>(0x80U | (c & 0x3FU));
}

}  // namespace

Body::Body(std::string_view bytes) : bytes_(bytes) {
  const TextKind kind = kind_of(bytes.substr(0, kSniffed));
  encoding_ = kind.encoding;
  bom_ = kind.bom;
  if (is_utf16()) {
    decode();
    return;
  }
  text_ = bytes.substr(bom_);
  is_text_ = !text_.substr(0, kSniffed).contains('\0');
}

char16_t Body::unit_at(std::size_t at) const {
  const unsigned first = static_cast<unsigned char>(bytes_[at]);
  const unsigned second = static_cast<unsigned char>(bytes_[at + 1]);
  const bool little = encoding_ == Encoding::kUtf16Le;
  return static_cast<char16_t>(little ? first | (second << 8U) : second | (first << 8U));
}

char32_t Body::next(std::size_t& at) const {
  const char32_t unit = unit_at(at);
  at += 2;
  if (!is_high(unit) || at + 1 >= bytes_.size()) return unit;
  const char32_t low = unit_at(at);
  if (!is_low(low)) return unit;
  at += 2;
  return 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
}

// A last odd byte is no part of the text.
void Body::decode() {
  decoded_.reserve(bytes_.size());
  for (std::size_t at = bom_; at + 1 < bytes_.size();) append(decoded_, next(at));
  text_ = decoded_;
}

std::string Body::encode(std::string_view text) const {
  if (!is_utf16()) return std::string(text);
  std::string out;
  const auto put = [&](char32_t unit) {
    const char high = static_cast<char>(unit >> 8U), low = static_cast<char>(unit & 0xFFU);
    out += encoding_ == Encoding::kUtf16Le ? low : high;
    out += encoding_ == Encoding::kUtf16Le ? high : low;
  };
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (c >= 0x10000) {
      put(0xD800 + ((c - 0x10000) >> 10U));
      put(0xDC00 + ((c - 0x10000) & 0x3FFU));
    } else {
      put(c);
    }
  }
  return out;
}

Matching Body::in_bytes(const Matching& matching) const {
  Matching out{.swaps = matching.swaps, .steps = matching.steps};
  for (const std::string& text : matching.texts) out.texts.push_back(encode(text));
  std::size_t in_text = 0, in_bytes = bom_;
  const auto place = [&](std::size_t at) {
    if (!is_utf16()) return at + bom_;
    while (in_text < at) in_text += utf8_size(next(in_bytes));
    return in_bytes;
  };
  for (Swap& swap : out.swaps) {
    swap.begin = place(swap.begin);
    swap.end = place(swap.end);
  }
  return out;
}

}  // namespace helve::workspace
