#include "mcp/detail/hub.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "mcp/detail/subscriptions.h"
#include "mcp/peer.h"

namespace helve::mcp {

void Changes::add(const tool::Change& change) {
  switch (change.what) {
    case tool::Change::What::kTools:
      tools = true;
      return;
    case tool::Change::What::kPrompts:
      prompts = true;
      return;
    case tool::Change::What::kResources:
      resources = true;
      return;
    case tool::Change::What::kResource:
      uris.insert(change.uri);
  }
}

void Hub::join(Peer& peer) {
  if (std::exchange(peer.joined_, true)) return;
  peers_.push_back(&peer);
}

void Hub::leave(Peer& peer) {
  if (std::exchange(peer.joined_, false)) std::erase(peers_, &peer);
  if (!peers_.empty()) return;
  // Nobody is left to tell, nor perhaps a loop that would.
  pending_ = {};
  posted_ = false;
}

void Hub::note(const tool::Change& change) {
  if (peers_.empty()) return;
  pending_.add(change);
  if (std::exchange(posted_, true)) return;
  boost::asio::post(peers_.front()->executor(), [weak = weak_from_this()] {
    if (const auto hub = weak.lock()) hub->tell();
  });
}

void Hub::tell() {
  posted_ = false;
  const Changes changes = std::exchange(pending_, {});
  // Whoever is told may end peers.
  std::vector<std::weak_ptr<Peer>> all;
  for (Peer* peer : peers_) all.push_back(peer->weak_from_this());
  for (const auto& weak : all) {
    if (const auto peer = weak.lock()) tell_changes(*peer, changes);
  }
}

Share::Share(std::shared_ptr<Hub> hub, size_t bytes, size_t subscriptions)
    : hub_(std::move(hub)), bytes_(bytes), subscriptions_(subscriptions) {
  hub_->bytes += bytes_;
  hub_->subscriptions += subscriptions_;
}

Share::Share(Share&& other) noexcept
    : hub_(std::move(other.hub_)), bytes_(other.bytes_), subscriptions_(other.subscriptions_) {}

Share& Share::operator=(Share&& other) noexcept {
  std::swap(hub_, other.hub_);
  std::swap(bytes_, other.bytes_);
  std::swap(subscriptions_, other.subscriptions_);
  return *this;
}

Share::~Share() {
  if (!hub_) return;
  hub_->bytes -= bytes_;
  hub_->subscriptions -= subscriptions_;
}

}  // namespace helve::mcp
