// mcp/detail/running.h
//
// Requests that are answered later: tool calls, prompts and subscriptions. Requests is the only
// code that changes a Peer's table of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mcp/detail/hub.h"
#include "mcp/detail/wire.h"
#include "mcp/peer.h"
#include "tool/tool.h"

namespace helve::mcp {

struct Running {
  Json id;
  Wire wire;
  std::string name;  // of the tool or prompt; empty for a subscription
  std::shared_ptr<Sink> sink;
  std::shared_ptr<tool::Cancellation> cancellation;  // null for a subscription
  std::optional<Changes> wanted;                     // of a subscription
  std::optional<Json> progress_token;
  std::optional<tool::LogLevel> log_from;  // log messages are wanted from this level on
  Share share;
  bool done = false;    // answered, or never to be answered
  bool closed = false;  // nothing works on it any more

  Clock::time_point started = Clock::now();
  std::optional<Clock::time_point> spoke;  // the last progress
  double progress = 0;                     // the last value sent; only ever grows
  std::optional<double> total;
};

class Requests {
 public:
  static constexpr size_t kMost = 1024;  // under way at once, subscriptions included

  explicit Requests(Peer& peer) : peer_(peer) {}

  bool full() const { return peer_.running_.size() >= kMost; }
  bool has(const Json& id) const;
  std::vector<std::shared_ptr<Running>> subscriptions() const;

  void open(std::shared_ptr<Running> running);  // its id is free
  Share share(size_t bytes, size_t subscriptions) const;

  // Forgets the id: the request is answered, or never will be.
  void finish(Running& running);
  // Nothing works on it any more, whether it was answered or not.
  static void close(Running& running);

  // Ends a request without an answer. An unknown id is nothing: it may just have been answered.
  void cancel(const Json& id, Duration grace);

  void watch_progress(const std::shared_ptr<Running>& running);
  void hear_of_changes() { peer_.hub_->join(peer_); }

 private:
  Peer& peer_;
};

}  // namespace helve::mcp
