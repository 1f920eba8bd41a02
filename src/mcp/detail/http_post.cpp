#include "mcp/detail/http_post.h"

#include <utility>

#include "base/texts.h"
#include "mcp/detail/http_reply.h"

namespace helve::mcp {
namespace {

using namespace std::chrono_literals;

constexpr Duration kCancelGrace = 1500ms;  // decisions, section 5
constexpr Duration kEndGrace = 500ms;

std::uint64_t next_number(const std::shared_ptr<Replay>& replay) {
  return replay ? ++replay->streams : 0;
}

}  // namespace

HttpShared::HttpShared(os::Loop& loop, Server& served, HttpOptions given)
    : server(served),
      options(std::move(given)),
      executor(loop.executor()),
      pulse(std::make_shared<Pulse>(executor, options.keep_alive / 3)) {}

void send_alone(http::Exchange& exchange, const Accepted& accepted, http::Response reply) {
  if (accepted.json || !accepted.stream || reply.status != 200) {
    return exchange.respond(std::move(reply));
  }
  http::Response head = stream_reply(exchange.request());
  if (const auto session = reply.headers.find(kSessionHeader)) {
    head.headers.add(kSessionHeader, std::string(*session));
  }
  exchange.stream(std::move(head));
  exchange.write(encode_event({.data = reply.body}));
  exchange.finish();
}

PostSink::PostSink(std::shared_ptr<HttpShared> shared, std::shared_ptr<http::Exchange> exchange,
                   std::shared_ptr<Peer> peer, PostTerms terms, std::shared_ptr<Replay> replay)
    : shared_(std::move(shared)),
      exchange_(std::move(exchange)),
      peer_(std::move(peer)),
      terms_(terms),
      output_(replay, next_number(replay)),
      replay_(std::move(replay)) {}

// Nothing to answer: a notification, a response, or a request that was cancelled.
PostSink::~PostSink() {
  if (done_) return;
  leave();
  if (replay_) replay_->store.forget(output_.number());
  if (streaming_) output_.finish();
  if (streaming_ || !exchange_) return;
  const http::Request& request = exchange_->request();
  exchange_->respond(shared_->ending
                         ? refusal_reply(request, 503, refuse("mcp.server_ends").error())
                         : empty_reply(request, 202));
}

void PostSink::answer(std::string message, int error_code) {
  if (std::exchange(done_, true)) return;
  const std::shared_ptr<Beating> self = weak_from_this().lock();
  leave();
  if (streaming_) {
    output_.send(message);
    output_.finish();
  } else if (exchange_) {
    const unsigned status = status_of(error_code, terms_.modern, terms_.listening);
    const auto exchange = std::exchange(exchange_, nullptr);
    send_alone(*exchange, terms_.accepted,
               json_reply(exchange->request(), status, std::move(message)));
  }
}

void PostSink::notify(std::string message) {
  if (done_) return;
  const bool kept = streaming_ && output_.is_kept();
  if (!can_stream() || (gone_ && !kept)) return fail_question(message);
  begin_stream();
  output_.send(message);
}

bool PostSink::congested() const {
  return output_.waiting_bytes() > shared_->options.congested_bytes;
}

void PostSink::received() {
  if (done_) return;
  since_ = Clock::now();
  entry_ = shared_->pulse->add(*this);
  // Already streaming if the first message did not wait.
  if (exchange_) watch(*exchange_);
}

void PostSink::begin_stream() {
  if (std::exchange(streaming_, true)) return;
  if (replay_) {
    replay_->open[output_.number()] = std::static_pointer_cast<PostSink>(shared_from_this());
  }
  output_.begin(exchange_);
}

void PostSink::watch(http::Exchange& exchange) {
  exchange.on_gone([weak = weak_from_this(), gone = &exchange] {
    if (const auto self = weak.lock()) static_cast<PostSink&>(*self).on_gone(gone);
  });
}

// In the handshake revisions a connection says nothing about a request. Who has only closed the
// sending half still reads an answer, and comes back for the rest of a stream.
void PostSink::on_gone(const http::Exchange* exchange) {
  if (done_ || (exchange != exchange_.get() && !output_.is_on(exchange))) return;
  gone_ = true;
  if (!terms_.modern && !streaming_) return;
  exchange_.reset();
  output_.detach();
  if (!terms_.modern) return;
  const auto peer = peer_;
  peer->end(kCancelGrace);
}

void PostSink::go_on(std::shared_ptr<http::Exchange> exchange, const EventStore::Place& place) {
  output_.go_on(exchange, place);
  exchange_ = std::move(exchange);
  gone_ = false;
  watch(*exchange_);
}

// The request goes on, and what it says is kept.
void PostSink::let_go() {
  if (done_ || !replay_ || !exchange_ || !can_stream()) return;
  begin_stream();
  output_.finish();
  exchange_.reset();
}

// The client cannot be asked, so nobody should wait for it.
void PostSink::fail_question(const std::string& message) {
  const auto value = parse_json(message);
  if (!value || find(*value, "method") == nullptr) return;
  const Json* id = find(*value, "id");
  if (id == nullptr) return;
  shared_->server.receive_message(
      peer_, Response{.id = *id, .error = text("mcp.client_unreachable")}, message.size(), nullptr);
}

void PostSink::tick(Clock::time_point now) {
  if (!streaming_ && exchange_ && can_stream() && now - since_ >= shared_->silence()) {
    begin_stream();
  }
  output_.comment_if_silent(now, shared_->silence());
}

void PostSink::end() {
  if (terms_.modern && !done_) std::shared_ptr(peer_)->end(kEndGrace);
}

void PostSink::leave() {
  if (entry_) shared_->pulse->remove(*std::exchange(entry_, std::nullopt));
  if (replay_) replay_->open.erase(output_.number());
}

}  // namespace helve::mcp
