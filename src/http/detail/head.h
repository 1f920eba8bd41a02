// http/detail/head.h
//
// Where the head of a request ends, and whether we take it. Stricter than Beast, which reads it
// afterwards: what two readers could understand in two ways is refused here (RFC 9112), so that
// nothing can be smuggled through a proxy in front of us. Pure; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "base/refusal.h"

namespace helve::http {

// The answer to what is no request, or one over a limit.
struct Broken {
  unsigned status = 400;
  Refusal why;
};

struct HeadSearch {
  size_t seen = 0;   // bytes that need not be looked at again
  size_t lines = 0;  // whole lines before `seen`
};

// The size of the head with its empty line; 0 if its end has not come yet. Broken as soon as the
// bytes cannot become a head: TLS, a bare line feed, more than `limit` bytes.
std::expected<size_t, Broken> find_head_end(std::string_view bytes, size_t limit,
                                            HeadSearch& search);

// `head` is whole, with its empty line.
std::optional<Broken> check_head(std::string_view head, size_t limit);

// A header line behind the last chunk that says nothing about where the request ends, and for whom
// it is.
bool is_trailer(std::string_view line);

// No control characters but tabs.
bool is_field_text(std::string_view text);

}  // namespace helve::http
