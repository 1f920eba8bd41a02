// mcp/detail/questions.h
//
// Requests of ours to a handshake client, in the middle of a call of it and on that call's own
// sink. They have ids of ours ("helve-1") and no time limit but the call's end. Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "mcp/detail/envelope.h"
#include "mcp/detail/running.h"

namespace helve::mcp {

struct Question {
  std::optional<Response> response;
  std::function<void()> answered;
};

class Questions {
 public:
  explicit Questions(Peer& peer) : peer_(peer) {}

  // Asks, and waits. Nothing comes back if the call was cancelled before.
  boost::asio::awaitable<std::optional<Response>> ask(std::shared_ptr<Running> running,
                                                      const tool::InputRequest& request);

  // A response of the client; one to nothing that we ask is nothing: it may just be late.
  void receive(Response response);

 private:
  Peer& peer_;
};

}  // namespace helve::mcp
