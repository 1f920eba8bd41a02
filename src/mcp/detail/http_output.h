// mcp/detail/http_output.h
//
// One stream of server-sent events: numbers and keeps its events where the session does that, goes
// on without its client there, and takes it up again. Loop thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time.h"
#include "http/server.h"
#include "mcp/detail/http_events.h"

namespace helve::mcp {

class PostSink;

// What lets the client of one session come back to a stream.
struct Replay {
  Replay(size_t events, size_t bytes) : store(events, bytes) {}
  EventStore store;
  std::uint64_t streams = 0;  // numbers given out; 0 is the session's own stream
  std::unordered_map<std::uint64_t, std::weak_ptr<PostSink>> open;  // whose answer is to come
};

class EventOutput {
 public:
  // Without `replay` events have no ids and are lost with the connection.
  EventOutput(std::shared_ptr<Replay> replay, std::uint64_t number)
      : replay_(std::move(replay)), number_(number) {}

  // Begins on this connection. With ids, the first event is an empty one, which tells the client
  // where it is and when to come back.
  void begin(std::shared_ptr<http::Exchange> exchange);
  // Goes on there, with what came after `place`.
  void go_on(std::shared_ptr<http::Exchange> exchange, const EventStore::Place& place);

  void send(std::string_view message);
  void comment_if_silent(Clock::time_point now, Duration silence);
  void detach() { exchange_.reset(); }  // the client has gone
  void finish();                        // ends the connection, if there is one

  bool attached() const { return exchange_ != nullptr; }
  bool is_on(const http::Exchange* exchange) const { return exchange_.get() == exchange; }
  bool is_kept() const { return replay_ != nullptr; }
  size_t waiting_bytes() const { return exchange_ ? exchange_->waiting_bytes() : 0; }
  std::uint64_t number() const { return number_; }

 private:
  void write(std::string piece);

  std::shared_ptr<Replay> replay_;
  std::uint64_t number_;
  std::shared_ptr<http::Exchange> exchange_;
  Clock::time_point spoke_;
};

}  // namespace helve::mcp
