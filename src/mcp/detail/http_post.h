// mcp/detail/http_post.h
//
// The answer to one POST: plain JSON, or a stream once something comes before the answer or the
// answer is late. Keeps its peer while it waits, and tells it of a client that has gone where that
// is a cancellation. Loop thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mcp/detail/event_stream.h"
#include "mcp/detail/http_output.h"
#include "mcp/detail/http_pulse.h"
#include "mcp/http.h"

namespace helve::mcp {

// What all answers of a face share.
struct HttpShared {
  HttpShared(os::Loop& loop, Server& served, HttpOptions given);

  Server& server;
  HttpOptions options;
  boost::asio::any_io_executor executor;
  std::shared_ptr<Pulse> pulse;
  bool ending = false;

  // Beats come three times within `keep_alive`, so that after two of them it is time.
  Duration silence() const { return options.keep_alive * 2 / 3; }
};

struct PostTerms {
  bool modern = true;
  bool listening = false;  // a subscription
  Accepted accepted;
};

class PostSink final : public Sink, public Beating {
 public:
  PostSink(std::shared_ptr<HttpShared> shared, std::shared_ptr<http::Exchange> exchange,
           std::shared_ptr<Peer> peer, PostTerms terms, std::shared_ptr<Replay> replay);
  ~PostSink() override;

  void answer(std::string message, int error_code) override;
  void notify(std::string message) override;
  bool congested() const override;

  // What came with the POST has been handed over. If the answer is still to come, it is waited for.
  void received();

  // The client of the stream comes back on another connection.
  void go_on(std::shared_ptr<http::Exchange> exchange, const EventStore::Place& place);

 private:
  void tick(Clock::time_point now) override;
  void let_go() override;
  void end() override;

  bool can_stream() const { return streaming_ || (exchange_ != nullptr && terms_.accepted.stream); }
  void begin_stream();
  void watch(http::Exchange& exchange);
  void on_gone(const http::Exchange* exchange);
  void fail_question(const std::string& message);
  void leave();

  std::shared_ptr<HttpShared> shared_;
  std::shared_ptr<http::Exchange> exchange_;  // until the answer, or a modern client goes
  std::shared_ptr<Peer> peer_;
  PostTerms terms_;
  EventOutput output_;
  std::shared_ptr<Replay> replay_;
  bool streaming_ = false, done_ = false;
  bool gone_ = false;  // the client sends nothing more on this connection; it may still read
  std::optional<Pulse::Entry> entry_;
  Clock::time_point since_;
};

// One whole message as the only thing to be said: JSON, or a stream of one event for a client that
// takes nothing else.
void send_alone(http::Exchange& exchange, const Accepted& accepted, http::Response reply);

}  // namespace helve::mcp
