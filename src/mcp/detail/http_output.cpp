#include "mcp/detail/http_output.h"

#include <utility>

#include "mcp/detail/event_stream.h"
#include "mcp/detail/http_reply.h"

namespace helve::mcp {
namespace {

constexpr std::chrono::milliseconds kComeBack{500};

}  // namespace

void EventOutput::begin(std::shared_ptr<http::Exchange> exchange) {
  exchange_ = std::move(exchange);
  spoke_ = Clock::now();
  exchange_->stream(stream_reply(exchange_->request()));
  if (!replay_) return;
  const std::string id = replay_->store.mark(number_);
  write(encode_event({.data = {}, .id = id, .retry = kComeBack}));
}

void EventOutput::go_on(std::shared_ptr<http::Exchange> exchange, const EventStore::Place& place) {
  finish();
  exchange_ = std::move(exchange);
  spoke_ = Clock::now();
  exchange_->stream(stream_reply(exchange_->request()));
  for (const EventStore::Event* event : replay_->store.after(place)) {
    write(encode_event({.data = event->data, .id = replay_->store.id_of(event->place)}));
  }
}

void EventOutput::send(std::string_view message) {
  if (!replay_) {
    if (exchange_) write(encode_event({.data = message}));
    return;
  }
  const std::string id = replay_->store.add(number_, message);
  if (exchange_) write(encode_event({.data = message, .id = id}));
}

void EventOutput::comment_if_silent(Clock::time_point now, Duration silence) {
  if (exchange_ && now - spoke_ >= silence) write(encode_comment());
}

void EventOutput::finish() {
  if (exchange_) std::exchange(exchange_, nullptr)->finish();
}

void EventOutput::write(std::string piece) {
  spoke_ = Clock::now();
  exchange_->write(std::move(piece));
}

}  // namespace helve::mcp
