#include "mcp/http.h"

#include <utility>

#include "mcp/detail/fields.h"
#include "mcp/detail/http_admission.h"
#include "mcp/detail/http_marks.h"
#include "mcp/detail/http_reply.h"
#include "mcp/detail/http_route.h"
#include "mcp/detail/http_sessions.h"

namespace helve::mcp {
namespace {

using SharedExchange = std::shared_ptr<http::Exchange>;

std::expected<std::shared_ptr<HttpSession>, http::Response> no_session(const http::Request& request,
                                                                       unsigned status,
                                                                       const Json& id,
                                                                       std::string_view rule,
                                                                       Texts args = {}) {
  return std::unexpected(error_reply(
      request, status, id, fail(ErrorCode::kInvalidRequest, rule, std::move(args)).error()));
}

// The answer to a handshake comes at once, and decides whether there is a session.
struct Collected : Sink {
  void answer(std::string text, int error_code) override {
    message = std::move(text);
    code = error_code;
  }
  void notify(std::string) override {}
  std::string message;
  int code = 0;
};

Json id_of(const std::variant<Message, JsonArray>& body) {
  const auto* message = std::get_if<Message>(&body);
  const auto* request = message == nullptr ? nullptr : std::get_if<Request>(message);
  return request == nullptr ? Json(nullptr) : request->id;
}

}  // namespace

class HttpFace::Inner {
 public:
  Inner(os::Loop& loop, Server& server, tool::Sessions& sessions, HttpOptions options)
      : shared(std::make_shared<HttpShared>(loop, server, std::move(options))),
        sessions_(shared, sessions) {
    shared->pulse->also = [this](Clock::time_point now) { return sessions_.sweep(now); };
  }
  ~Inner() {
    end();
    shared->pulse->also = nullptr;
  }

  void handle(SharedExchange exchange);
  void end();
  size_t count() const { return sessions_.count(); }

  const std::shared_ptr<HttpShared> shared;

 private:
  using Found = std::expected<std::shared_ptr<HttpSession>, http::Response>;

  void post(SharedExchange exchange, const std::string& principal);
  void initialize(SharedExchange exchange, const std::string& principal, Request request,
                  size_t bytes);
  void in_session(SharedExchange exchange, const std::string& principal, Routed routed,
                  size_t bytes);
  void modern(SharedExchange exchange, const std::string& principal, Message message, size_t bytes);
  void get(SharedExchange exchange, const std::string& principal);
  void come_back(SharedExchange exchange, HttpSession& session, std::string_view id);
  void remove(SharedExchange exchange, const std::string& principal);

  Found find_session(const http::Request& request, const std::string& principal, const Json& id);
  std::optional<http::Response> refuse_modern(const http::Request& http, const Request& request,
                                              const Accepted& accepted);

  HttpSessions sessions_;
  ParamMarks marks_;
};

void HttpFace::Inner::handle(SharedExchange exchange) {
  const http::Request& request = exchange->request();
  if (shared->ending) {
    return exchange->respond(refusal_reply(request, 503, refuse("mcp.server_ends").error()));
  }
  const auto principal = principal_of(shared->options, request);
  if (!principal) return exchange->respond(token_wanted(request));  // since admit()
  if (request.method == "POST") return post(std::move(exchange), *principal);
  // The modern revision has neither streams nor sessions of their own.
  if (names_modern(request.headers)) return exchange->respond(wrong_method(request, "POST"));
  if (request.method == "GET") return get(std::move(exchange), *principal);
  remove(std::move(exchange), *principal);
}

void HttpFace::Inner::post(SharedExchange exchange, const std::string& principal) {
  http::Request& request = exchange->request();
  auto routed = route(request.headers, request.body);
  const size_t bytes = request.body.size();
  std::string().swap(request.body);  // a stream may stay for days
  if (!routed) {
    return exchange->respond(error_reply(request, 400, routed.error().id, routed.error().error));
  }
  if (routed->way == Routed::Way::kSession) {
    return in_session(std::move(exchange), principal, *std::move(routed), bytes);
  }
  auto& message = std::get<Message>(routed->body);
  if (routed->way == Routed::Way::kModern) {
    return modern(std::move(exchange), principal, std::move(message), bytes);
  }
  initialize(std::move(exchange), principal, std::get<Request>(std::move(message)), bytes);
}

void HttpFace::Inner::initialize(SharedExchange exchange, const std::string& principal,
                                 Request request, size_t bytes) {
  const http::Request& http = exchange->request();
  const auto named = http.headers.find(kSessionHeader);
  // A session that has ended is begun anew like this (R3); one that lives has its handshake.
  if (named && sessions_.find(*named, principal)) {
    return exchange->respond(
        error_reply(http, 400, request.id,
                    fail(ErrorCode::kInvalidRequest, "mcp.initialized_already").error()));
  }
  const auto session = sessions_.make(principal);
  if (!session) {
    return exchange->respond(
        error_reply(http, 503, request.id, {ErrorCode::kInternal, session.error()}));
  }
  const auto answered = std::make_shared<Collected>();
  shared->server.receive_message((*session)->peer, std::move(request), bytes, answered);
  http::Response reply =
      json_reply(http, status_of(answered->code, false, false), std::move(answered->message));
  if (answered->code == 0) {
    sessions_.keep(*session);
    reply.headers.add(kSessionHeader, (*session)->id);
  } else {
    sessions_.close(*session);
  }
  send_alone(*exchange, accepted_answers(http.headers), std::move(reply));
}

void HttpFace::Inner::in_session(SharedExchange exchange, const std::string& principal,
                                 Routed routed, size_t bytes) {
  const http::Request& request = exchange->request();
  auto session = find_session(request, principal, id_of(routed.body));
  if (!session) return exchange->respond(std::move(session.error()));
  const PostTerms terms{.modern = false, .accepted = accepted_answers(request.headers)};
  const std::shared_ptr<Peer>& peer = (*session)->peer;
  const auto sink =
      std::make_shared<PostSink>(shared, std::move(exchange), peer, terms, (*session)->replay);
  if (auto* batch = std::get_if<JsonArray>(&routed.body)) {
    shared->server.receive_json(peer, std::move(*batch), bytes, sink);
  } else {
    shared->server.receive_message(peer, std::get<Message>(std::move(routed.body)), bytes, sink);
  }
  sink->received();
}

void HttpFace::Inner::modern(SharedExchange exchange, const std::string& principal, Message message,
                             size_t bytes) {
  const http::Request& http = exchange->request();
  PostTerms terms{.modern = true, .accepted = accepted_answers(http.headers)};
  if (const auto* request = std::get_if<Request>(&message)) {
    terms.listening = request->method == "subscriptions/listen";
    auto refused = refuse_modern(http, *request, terms.accepted);
    if (refused) return exchange->respond(*std::move(refused));
  }
  auto session = sessions_.shared_by(principal);
  if (!session) {
    return exchange->respond(error_reply(http, 503, id_of({std::move(message)}),
                                         {ErrorCode::kInternal, session.error()}));
  }
  auto peer = shared->server.connect(shared->executor, *std::move(session));
  const auto sink = std::make_shared<PostSink>(shared, std::move(exchange), peer, terms, nullptr);
  shared->server.receive_message(peer, std::move(message), bytes, sink);
  sink->received();
}

// What the headers of a modern request still have to say: whether its answer can arrive, and the
// arguments that they repeat.
std::optional<http::Response> HttpFace::Inner::refuse_modern(const http::Request& http,
                                                             const Request& request,
                                                             const Accepted& accepted) {
  if (request.method == "subscriptions/listen" && !accepted.stream) {
    return error_reply(http, 406, request.id,
                       fail(ErrorCode::kInvalidRequest, "mcp.stream_refused").error());
  }
  if (request.method != "tools/call") return std::nullopt;
  const auto checked = marks_.check(shared->server.registry(), http.headers, request.params);
  if (checked) return std::nullopt;
  return error_reply(http, 400, request.id, checked.error());
}

HttpFace::Inner::Found HttpFace::Inner::find_session(const http::Request& request,
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

void HttpFace::Inner::get(SharedExchange exchange, const std::string& principal) {
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

void HttpFace::Inner::come_back(SharedExchange exchange, HttpSession& session,
                                std::string_view id) {
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

void HttpFace::Inner::remove(SharedExchange exchange, const std::string& principal) {
  const http::Request& request = exchange->request();
  auto session = find_session(request, principal, nullptr);
  if (!session) return exchange->respond(std::move(session.error()));
  sessions_.close(*session);
  exchange->respond(empty_reply(request, 204));
}

void HttpFace::Inner::end() {
  if (std::exchange(shared->ending, true)) return;
  for (const auto& waiting : shared->pulse->all()) waiting->end();
  sessions_.end();
  shared->pulse->stop();
}

HttpFace::HttpFace(os::Loop& loop, Server& server, tool::Sessions& sessions, HttpOptions options)
    : inner_(std::make_unique<Inner>(loop, server, sessions, std::move(options))) {}

HttpFace::~HttpFace() = default;

std::optional<http::Response> HttpFace::admit(const http::Request& head) {
  return refuse_at_door(inner_->shared->options, head);
}

void HttpFace::handle(std::shared_ptr<http::Exchange> exchange) {
  inner_->handle(std::move(exchange));
}

http::Response HttpFace::refuse_broken(unsigned status, const Refusal& why) {
  return refusal_reply({}, status, why);
}

void HttpFace::let_go() {
  for (const auto& waiting : inner_->shared->pulse->all()) waiting->let_go();
}

void HttpFace::end() { inner_->end(); }

size_t HttpFace::sessions() const { return inner_->count(); }

}  // namespace helve::mcp
