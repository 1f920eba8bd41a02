#include "mcp/detail/http_push.h"

#include <utility>

namespace helve::mcp {

PushSink::~PushSink() { close(); }

void PushSink::notify(std::string message) {
  if (output_) output_->send(message);
}

bool PushSink::congested() const {
  return output_ && output_->waiting_bytes() > shared_->options.congested_bytes;
}

void PushSink::open(std::shared_ptr<http::Exchange> exchange, const std::shared_ptr<Replay>& replay,
                    const std::optional<EventStore::Place>& place) {
  if (!output_) output_.emplace(replay, 0);
  if (!entry_) entry_ = shared_->pulse->add(*this);
  const auto held = exchange;
  if (place && replay) {
    output_->go_on(std::move(exchange), *place);
  } else {
    output_->finish();
    output_->begin(std::move(exchange));
  }
  watch(*held);
}

void PushSink::watch(http::Exchange& exchange) {
  exchange.on_gone([weak = weak_from_this(), gone = &exchange] {
    const auto self = std::static_pointer_cast<PushSink>(weak.lock());
    if (!self || !self->output_->is_on(gone)) return;
    self->output_->detach();
    self->leave();
  });
}

void PushSink::close() {
  leave();
  if (output_) output_->finish();
}

void PushSink::tick(Clock::time_point now) { output_->comment_if_silent(now, shared_->silence()); }

void PushSink::leave() {
  if (entry_) shared_->pulse->remove(*std::exchange(entry_, std::nullopt));
}

}  // namespace helve::mcp
