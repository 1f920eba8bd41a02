#include "mcp/peer.h"

#include <vector>

#include "mcp/detail/running.h"
#include "mcp/detail/ticker.h"

namespace helve::mcp {

Peer::Peer(boost::asio::any_io_executor executor, std::shared_ptr<tool::Session> session)
    : executor_(std::move(executor)), session_(std::move(session)) {}

Peer::~Peer() = default;

void Peer::end(Duration grace) {
  const auto all = std::exchange(running_, {});
  for (const auto& [key, running] : all) {
    if (running->done) continue;
    running->done = true;
    if (running->cancellation) {
      running->cancellation->request(grace);
    } else {
      running->sink->answer(encode_subscription_end(running->id, running->wire));
    }
  }
  session_->end(grace);
}

void Peer::when_idle(std::function<void()> react) {
  if (session_->open_calls() == 0) return react();
  idle_ = std::move(react);
}

bool Requests::has(const Json& id) const { return peer_.running_.contains(write_json(id)); }

std::shared_ptr<Running> Requests::open(const Json& id, const Wire& wire,
                                        std::shared_ptr<Sink> sink) {
  auto running = std::make_shared<Running>();
  running->id = id;
  running->wire = wire;
  running->sink = std::move(sink);
  peer_.running_.emplace(write_json(id), running);
  return running;
}

std::shared_ptr<Running> Requests::open_call(const Json& id, const Wire& wire,
                                             std::shared_ptr<Sink> sink) {
  auto running = open(id, wire, std::move(sink));
  running->cancellation = peer_.session_->open_call();
  return running;
}

void Requests::finish(Running& running) {
  running.done = true;
  const auto entry = peer_.running_.find(write_json(running.id));
  // After a cancel the client may have used the id again: that request is not ours to forget.
  if (entry != peer_.running_.end() && entry->second.get() == &running) {
    peer_.running_.erase(entry);
  }
}

void Requests::tool_returned(Running& running) {
  running.closed = true;
  running.sink.reset();
  peer_.session_->close_call(running.cancellation);
  if (peer_.idle_ && peer_.session_->open_calls() == 0) std::exchange(peer_.idle_, nullptr)();
}

void Requests::cancel(const Json& id, Duration grace) {
  const auto entry = peer_.running_.find(write_json(id));
  if (entry == peer_.running_.end()) return;
  const std::shared_ptr<Running> running = entry->second;
  finish(*running);
  if (running->cancellation) running->cancellation->request(grace);
}

void Requests::watch_progress(const std::shared_ptr<Running>& running) {
  if (!peer_.ticker_) peer_.ticker_ = std::make_unique<Ticker>(peer_.executor_);
  peer_.ticker_->watch(running);
}

}  // namespace helve::mcp
