// mcp/detail/fields.h
//
// Header fields as RFC 9110 reads them, and foreign values as a sentence may show them. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace helve::mcp {

// ASCII letters compare without case.
bool same_word(std::string_view a, std::string_view b);

// Without blanks and tabs at both ends; other white space belongs to the value.
std::string_view trim_field(std::string_view value);

struct Field {
  size_t count = 0;        // how often the header stands in the request
  std::string_view value;  // of the first, trimmed
};
Field find_field(const http::Headers& headers, std::string_view name);

// Splits at `separator` outside of quoted strings; the parts are trimmed.
std::vector<std::string_view> split_field(std::string_view value, char separator);

// RFC 9110 token: what names of headers and methods consist of.
bool is_token(std::string_view text);

// A value of someone else as part of a sentence: valid UTF-8, no control characters, at most 120
// bytes and three dots.
std::string shown(std::string_view value);

}  // namespace helve::mcp
