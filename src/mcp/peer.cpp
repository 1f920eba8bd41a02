#include "mcp/peer.h"

#include <utility>

#include "mcp/detail/messages.h"
#include "mcp/detail/running.h"
#include "mcp/detail/ticker.h"

namespace helve::mcp {

Peer::Peer(std::shared_ptr<Hub> hub, boost::asio::any_io_executor executor,
           std::shared_ptr<tool::Session> session)
    : hub_(std::move(hub)), executor_(std::move(executor)), session_(std::move(session)) {}

Peer::~Peer() { hub_->leave(*this); }

void Peer::end(Duration grace) {
  ended_ = true;
  hub_->leave(*this);
  const auto all = std::exchange(running_, {});
  for (const auto& [key, running] : all) {
    if (running->done) continue;
    running->done = true;
    if (running->cancellation) {
      running->cancellation->request(grace);
    } else {
      running->sink->answer(encode_subscription_end(running->id, running->wire));
      Requests::close(*running);
    }
  }
}

bool Requests::has(const Json& id) const { return peer_.running_.contains(write_json(id)); }

std::vector<std::shared_ptr<Running>> Requests::subscriptions() const {
  std::vector<std::shared_ptr<Running>> all;
  for (const auto& [key, running] : peer_.running_) {
    if (running->wanted) all.push_back(running);
  }
  return all;
}

void Requests::open(std::shared_ptr<Running> running) {
  std::string id = write_json(running->id);
  peer_.running_.emplace(std::move(id), std::move(running));
}

Share Requests::share(size_t bytes, size_t subscriptions) const {
  return {peer_.hub_, bytes, subscriptions};
}

void Requests::finish(Running& running) {
  running.done = true;
  const auto entry = peer_.running_.find(write_json(running.id));
  // After a cancel the client may have used the id again: that request is not ours to forget.
  if (entry != peer_.running_.end() && entry->second.get() == &running) {
    peer_.running_.erase(entry);
  }
}

void Requests::close(Running& running) {
  running.closed = true;
  running.sink.reset();
  running.share = {};
}

void Requests::cancel(const Json& id, Duration grace) {
  const auto entry = peer_.running_.find(write_json(id));
  if (entry == peer_.running_.end()) return;
  const std::shared_ptr<Running> running = entry->second;
  finish(*running);
  if (!running->cancellation) return close(*running);
  running->cancellation->request(grace);
}

void Requests::watch_progress(const std::shared_ptr<Running>& running) {
  if (!peer_.ticker_) peer_.ticker_ = std::make_unique<Ticker>(peer_.executor_);
  peer_.ticker_->watch(running);
}

}  // namespace helve::mcp
