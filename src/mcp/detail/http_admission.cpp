#include "mcp/detail/http_admission.h"

#include <algorithm>
#include <array>

#include "mcp/detail/event_stream.h"
#include "mcp/detail/fields.h"
#include "mcp/detail/http_reply.h"

namespace helve::mcp {
namespace {

constexpr std::array<std::string_view, 3> kMethods = {"GET", "POST", "DELETE"};
constexpr const char* kAllMethods = "GET, POST, DELETE, OPTIONS";

http::Response wrong_path(const HttpOptions& options, const http::Request& request) {
  return refusal_reply(
      request, 404,
      refuse("http.path_unknown", {{"path", shown(request.path)}, {"served", options.path}})
          .error());
}

http::Response wrong_type(const http::Request& request) {
  const Field type = find_field(request.headers, "Content-Type");
  return refusal_reply(request, 415,
                       refuse("http.content_type", {{"value", shown(type.value)}}).error());
}

}  // namespace

http::Response wrong_method(const http::Request& request, const char* allowed) {
  http::Response response = refusal_reply(
      request, 405,
      refuse("http.method_refused", {{"method", shown(request.method)}, {"allowed", allowed}})
          .error());
  response.headers.add("Allow", allowed);
  return response;
}

http::Response token_wanted(const http::Request& request) {
  http::Response response = refusal_reply(request, 401, refuse("http.token_refused").error());
  response.headers.add("WWW-Authenticate", "Bearer");
  return response;
}

std::optional<std::string> principal_of(const HttpOptions& options, const http::Request& request) {
  if (!options.principal_of) return "anyone";
  const auto token = bearer_token(request.headers);
  return token ? options.principal_of(*token) : std::nullopt;
}

std::optional<http::Response> refuse_at_door(const HttpOptions& options,
                                             const http::Request& request) {
  if (const auto admitted = options.guard.admit(request.headers); !admitted) {
    return refusal_reply(request, 403, admitted.error());
  }
  if (request.path != options.path) return wrong_path(options, request);
  if (is_preflight(request)) return preflight_reply(request);
  if (std::ranges::find(kMethods, request.method) == kMethods.end()) {
    return wrong_method(request, kAllMethods);
  }
  if (!principal_of(options, request)) return token_wanted(request);
  if (request.method == "POST" && !has_json_body(request.headers)) return wrong_type(request);
  return std::nullopt;
}

}  // namespace helve::mcp
