// mcp/detail/http_admission.h
//
// Who may ask, and for what, decided from the head of a request, before its body is read: host and
// origin (R13), path, method, token, type of the body, in this order. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "mcp/http.h"

namespace helve::mcp {

// The answer to a request that goes no further: a refusal, or to a browser's preflight.
std::optional<http::Response> refuse_at_door(const HttpOptions& options,
                                             const http::Request& request);

// Who asks; nullopt without a token that somebody holds.
std::optional<std::string> principal_of(const HttpOptions& options, const http::Request& request);

// 405, with the methods that there are.
http::Response wrong_method(const http::Request& request, const char* allowed);

// 401, the same whatever is wrong with the token.
http::Response token_wanted(const http::Request& request);

}  // namespace helve::mcp
