// base/base64.h
//
// Base64 and base64url (RFC 4648). Reading is strict, so that exactly one text stands for each
// sequence of bytes: no blanks, no line ends, no characters of the other alphabet, no bits left
// over. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helve {

// With padding: "SGVsbG8=".
std::string encode_base64(std::string_view bytes);
std::optional<std::string> decode_base64(std::string_view text);

// Alphabet of names and URLs, without padding: "SGVsbG8".
std::string encode_base64url(std::string_view bytes);
std::optional<std::string> decode_base64url(std::string_view text);

}  // namespace helve
