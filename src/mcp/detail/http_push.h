// mcp/detail/http_push.h
//
// The stream of a session that belongs to no request: a GET, one at a time. Without one its
// messages are lost, but for those that a client which comes back finds in the session's store.
// Loop thread only.
#pragma once

#include <memory>
#include <optional>

#include "mcp/detail/http_post.h"

namespace helve::mcp {

class PushSink final : public Sink, public Beating {
 public:
  explicit PushSink(std::shared_ptr<HttpShared> shared) : shared_(std::move(shared)) {}
  ~PushSink() override;

  void answer(std::string, int) override {}  // nothing of it is ever asked
  void notify(std::string message) override;
  bool congested() const override;

  // A stream is open whose client takes what is sent; one that does not has most likely gone, and
  // another may take its place.
  bool is_taken() const { return output_ && output_->attached() && output_->waiting_bytes() == 0; }

  // `place`: of this stream, for a client that comes back.
  void open(std::shared_ptr<http::Exchange> exchange, const std::shared_ptr<Replay>& replay,
            const std::optional<EventStore::Place>& place);
  void close();

 private:
  void tick(Clock::time_point now) override;
  void end() override { close(); }
  void watch(http::Exchange& exchange);
  void leave();

  std::shared_ptr<HttpShared> shared_;
  std::optional<EventOutput> output_;  // from the first GET on
  std::optional<Pulse::Entry> entry_;
};

}  // namespace helve::mcp
