#include "mcp/detail/http_requests.h"

#include <utility>

#include "mcp/detail/http_admission.h"
#include "mcp/detail/http_reply.h"

namespace helve::mcp {
namespace {

using SharedExchange = HttpRequests::SharedExchange;

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

HttpRequests::HttpRequests(std::shared_ptr<HttpShared> shared, tool::Sessions& sessions)
    : shared_(std::move(shared)), sessions_(shared_, sessions) {
  shared_->pulse->also = [this](Clock::time_point now) { return sessions_.sweep(now); };
}

HttpRequests::~HttpRequests() {
  end();
  shared_->pulse->also = nullptr;
}

void HttpRequests::handle(SharedExchange exchange) {
  const http::Request& request = exchange->request();
  if (shared_->ending) {
    return exchange->respond(refusal_reply(request, 503, refuse("mcp.server_ends").error()));
  }
  const auto principal = principal_of(shared_->options, request);
  if (!principal) return exchange->respond(token_wanted(request));  // since admit()
  if (request.method == "POST") return post(std::move(exchange), *principal);
  // The modern revision has neither streams nor sessions of their own.
  if (names_modern(request.headers)) return exchange->respond(wrong_method(request, "POST"));
  if (request.method == "GET") return get(std::move(exchange), *principal);
  remove(std::move(exchange), *principal);
}

void HttpRequests::post(SharedExchange exchange, const std::string& principal) {
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

void HttpRequests::initialize(SharedExchange exchange, const std::string& principal,
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
  shared_->server.receive_message((*session)->peer, std::move(request), bytes, answered);
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

void HttpRequests::in_session(SharedExchange exchange, const std::string& principal, Routed routed,
                              size_t bytes) {
  const http::Request& request = exchange->request();
  auto session = find_session(request, principal, id_of(routed.body));
  if (!session) return exchange->respond(std::move(session.error()));
  const PostTerms terms{.modern = false, .accepted = accepted_answers(request.headers)};
  const std::shared_ptr<Peer>& peer = (*session)->peer;
  const auto sink =
      std::make_shared<PostSink>(shared_, std::move(exchange), peer, terms, (*session)->replay);
  if (auto* batch = std::get_if<JsonArray>(&routed.body)) {
    shared_->server.receive_json(peer, std::move(*batch), bytes, sink);
  } else {
    shared_->server.receive_message(peer, std::get<Message>(std::move(routed.body)), bytes, sink);
  }
  sink->received();
}

void HttpRequests::modern(SharedExchange exchange, const std::string& principal, Message message,
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
  auto peer = shared_->server.connect(shared_->executor, *std::move(session));
  const auto sink = std::make_shared<PostSink>(shared_, std::move(exchange), peer, terms, nullptr);
  shared_->server.receive_message(peer, std::move(message), bytes, sink);
  sink->received();
}

// What the headers of a modern request still have to say: whether its answer can arrive, and the
// arguments that they repeat.
std::optional<http::Response> HttpRequests::refuse_modern(const http::Request& http,
                                                          const Request& request,
                                                          const Accepted& accepted) {
  if (request.method == "subscriptions/listen" && !accepted.stream) {
    return error_reply(http, 406, request.id,
                       fail(ErrorCode::kInvalidRequest, "mcp.stream_refused").error());
  }
  if (request.method != "tools/call") return std::nullopt;
  const auto checked = marks_.check(shared_->server.registry(), http.headers, request.params);
  if (checked) return std::nullopt;
  return error_reply(http, 400, request.id, checked.error());
}

void HttpRequests::end() {
  if (std::exchange(shared_->ending, true)) return;
  for (const auto& waiting : shared_->pulse->all()) waiting->end();
  sessions_.end();
  shared_->pulse->stop();
}

void HttpRequests::let_go() {
  for (const auto& waiting : shared_->pulse->all()) waiting->let_go();
}

}  // namespace helve::mcp
