// schema/detail/uri.h
//
// As much of RFC 3986 as `$id` and `$ref` need: resolving a reference against a base, the fragment
// by itself. Nothing is ever fetched. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace helve::schema {

// Section 5.2 of RFC 3986. An empty base leaves the reference as it is, without dot segments.
std::string resolve_uri(std::string_view base, std::string_view reference);

struct SplitUri {
  std::string_view document;  // all in front of the first '#'
  std::string_view fragment;  // still escaped
};
SplitUri split_fragment(std::string_view uri);

// "%25" becomes "%"; a '%' that starts no escape stays.
std::string percent_decode(std::string_view text);

}  // namespace helve::schema
