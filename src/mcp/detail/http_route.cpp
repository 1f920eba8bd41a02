#include "mcp/detail/http_route.h"

#include <algorithm>

#include "mcp/detail/fields.h"
#include "mcp/detail/header_rules.h"
#include "mcp/detail/http_reply.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";

using Way = Routed::Way;
using Route = std::expected<Routed, Misrouted>;

std::unexpected<Misrouted> refuse(Json id, const ProtocolError& error) {
  return std::unexpected(Misrouted{std::move(id), error});
}

const Json* meta_member(const JsonObject& params, std::string_view key) {
  const Json* meta = find(params, "_meta");
  return meta == nullptr ? nullptr : find(*meta, key);
}

// The version that the envelope names, or "".
std::string_view claim_of(const JsonObject& params) {
  const Json* version = meta_member(params, kVersionKey);
  return version != nullptr && version->is_string() ? as_text(*version) : std::string_view();
}

// Revisions are dates.
bool is_modern_version(std::string_view version) {
  constexpr std::string_view kShape = "0000-00-00";
  const auto fits = [](char c, char shape) {
    return shape == '0' ? c >= '0' && c <= '9' : c == shape;
  };
  return std::ranges::equal(version, kShape, fits) && version >= kModern;
}

std::unexpected<Misrouted> claims_nothing(const Request& request) {
  JsonArray missing;
  for (const std::string_view key : {kVersionKey, kCapabilitiesKey}) {
    if (meta_member(request.params, key) == nullptr) missing.push_back(Json(key));
  }
  const std::string key(kVersionKey);
  return refuse(request.id, fail(ErrorCode::kInvalidParams, "mcp.envelope_missing", {{"key", key}},
                                 JsonObject{{"missing", std::move(missing)}})
                                .error());
}

Route route_initialize(const http::Headers& headers, Request request) {
  if (!names_modern(headers)) return Routed{Way::kInitialize, std::move(request)};
  const std::string version(find_field(headers, kVersionHeader).value);
  return refuse(
      request.id,
      fail(ErrorCode::kHeaderMismatch, "mcp.initialize_modern", {{"version", version}}).error());
}

Route route_modern(const http::Headers& headers, Request request) {
  const auto checked =
      check_standard_headers(headers, claim_of(request.params), request.method, request.params);
  if (!checked) return refuse(request.id, checked.error());
  return Routed{Way::kModern, std::move(request)};
}

Route route_request(const http::Headers& headers, Request request) {
  const auto claimed = claimed_version(request);
  if (!claimed && claimed.error().code != ErrorCode::kVersionUnsupported) {
    return refuse(request.id, claimed.error());
  }
  if (claimed && !*claimed) {
    if (request.method == "initialize") return route_initialize(headers, std::move(request));
    if (names_modern(headers)) return claims_nothing(request);
    return Routed{Way::kSession, std::move(request)};
  }
  // What the header says comes before the question whether we serve that version.
  if (const auto same = check_version_header(headers, claim_of(request.params)); !same) {
    return refuse(request.id, same.error());
  }
  if (!claimed) return refuse(request.id, claimed.error());
  return route_modern(headers, std::move(request));
}

Route route_notification(const http::Headers& headers, Notification notification) {
  const std::string_view claim = claim_of(notification.params);
  if (claim.empty()) {
    const Way way = names_modern(headers) ? Way::kModern : Way::kSession;
    return Routed{way, std::move(notification)};
  }
  const auto checked = check_standard_headers(headers, claim, notification.method,
                                              notification.params, Presence::kOptional);
  if (!checked) return refuse(nullptr, checked.error());
  return Routed{Way::kModern, std::move(notification)};
}

Route route_batch(const http::Headers& headers, JsonArray batch) {
  const bool modern = names_modern(headers) || std::ranges::any_of(batch, [](const Json& message) {
                        const Json* params = find(message, "params");
                        return params != nullptr && params->is_object() &&
                               meta_member(params->get_object(), kVersionKey) != nullptr;
                      });
  if (!modern && !batch.empty()) return Routed{Way::kSession, std::move(batch)};
  return refuse(nullptr, fail(ErrorCode::kInvalidRequest, "mcp.batch_unsupported").error());
}

Route route_message(const http::Headers& headers, Message message) {
  if (auto* request = std::get_if<Request>(&message)) {
    return route_request(headers, std::move(*request));
  }
  if (auto* notification = std::get_if<Notification>(&message)) {
    return route_notification(headers, std::move(*notification));
  }
  if (const auto* malformed = std::get_if<Malformed>(&message)) {
    return refuse(malformed->id, malformed->error);
  }
  if (!names_modern(headers)) return Routed{Way::kSession, std::move(message)};
  return refuse(nullptr, fail(ErrorCode::kInvalidRequest, "mcp.response_unasked").error());
}

}  // namespace

bool names_modern(const http::Headers& headers) {
  return is_modern_version(find_field(headers, kVersionHeader).value);
}

Route route(const http::Headers& headers, std::string_view body) {
  auto value = decode(body);
  if (!value) return refuse(std::move(value.error().id), value.error().error);
  if (value->is_array()) return route_batch(headers, std::move(value->get_array()));
  return route_message(headers, read_message(*std::move(value)));
}

}  // namespace helve::mcp
