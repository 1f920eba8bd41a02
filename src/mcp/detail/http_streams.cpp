// What is asked about sessions: which one a request belongs to, its stream, its end.
#include <algorithm>
#include <utility>

#include "mcp/detail/fields.h"
#include "mcp/detail/http_reply.h"
#include "mcp/detail/http_requests.h"

namespace helve::mcp {
namespace {

using SharedExchange = HttpRequests::SharedExchange;

std::expected<std::shared_ptr<HttpSession>, http::Response> no_session(const http::Request& request,
                                                                       unsigned status,
                                                                       const Json& id,
                                                                       std::string_view rule,
                                                                       Texts args = {}) {
  return std::unexpected(error_reply(
      request, status, id, fail(ErrorCode::kInvalidRequest, rule, std::move(args)).error()));
}

}  // namespace

HttpRequests::Found HttpRequests::find_session(const http::Request& request,
                                               const std::string& principal, const Json& id) {
  const Field named = find_field(request.headers, kSessionHeader);
  if (named.count == 0) return no_session(request, 400, id, "mcp.session_missing");
  auto session = named.count == 1 ? sessions_.find(named.value, principal) : nullptr;
  if (!session) return no_session(request, 404, id, "mcp.session_unknown");
  const Field version = find_field(request.headers, kVersionHeader);
  if (version.count == 0 || std::ranges::find(kLegacy, version.value) != kLegacy.end()) {
    return session;
  }
  return no_session(request, 400, id, "mcp.header_version",
                    {{"version", shown(version.value)}, {"supported", session->peer->revision}});
}

void HttpRequests::get(SharedExchange exchange, const std::string& principal) {
  const http::Request& request = exchange->request();
  auto session = find_session(request, principal, nullptr);
  if (!session) return exchange->respond(std::move(session.error()));
  if (!accepted_answers(request.headers).stream) {
    return exchange->respond(refusal_reply(request, 406, refuse("mcp.stream_refused").error()));
  }
  const auto last = request.headers.find("Last-Event-ID");
  if (last && (*session)->replay) return come_back(std::move(exchange), **session, *last);
  if ((*session)->push->is_taken()) {
    return exchange->respond(refusal_reply(request, 409, refuse("mcp.stream_taken").error()));
  }
  (*session)->push->open(std::move(exchange), (*session)->replay, std::nullopt);
}

void HttpRequests::come_back(SharedExchange exchange, HttpSession& session, std::string_view id) {
  Replay& replay = *session.replay;
  const auto place = replay.store.read(id);
  if (place && place->stream == 0) {
    return session.push->open(std::move(exchange), session.replay, place);
  }
  const auto open = place ? replay.open.find(place->stream) : replay.open.end();
  const auto sink = open == replay.open.end() ? nullptr : open->second.lock();
  if (sink) return sink->go_on(std::move(exchange), *place);
  if (!place || replay.store.after(*place).empty()) {
    return exchange->respond(
        refusal_reply(exchange->request(), 400, refuse("mcp.event_unknown").error()));
  }
  EventOutput output(session.replay, place->stream);
  output.go_on(std::move(exchange), *place);
  output.finish();
}

void HttpRequests::remove(SharedExchange exchange, const std::string& principal) {
  const http::Request& request = exchange->request();
  auto session = find_session(request, principal, nullptr);
  if (!session) return exchange->respond(std::move(session.error()));
  sessions_.close(*session);
  exchange->respond(empty_reply(request, 204));
}

}  // namespace helve::mcp
