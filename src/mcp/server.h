// mcp/server.h
//
// The Model Context Protocol without a transport: takes one message of one client, answers through
// a Sink, at once or later. Modern (2026-07-28) at heart; the handshake revisions (2025-11-25,
// 2025-06-18, 2025-03-26, 2024-11-05) are the same handlers behind another encoding. The era is
// decided per request. Lines and pipes live in mcp/stdio.h, HTTP in mcp/http.h. Loop thread only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "mcp/detail/envelope.h"
#include "mcp/peer.h"
#include "mcp/sink.h"
#include "mcp/state_seal.h"
#include "tool/registry.h"

namespace helve::mcp {

struct ServerInfo {
  std::string name, version;
  std::string instructions;  // names the root and the workspace (R15); may be empty
};

class Server {
 public:
  // The registry outlives the server, and the server every call that it has started. Peers may live
  // longer. `state_key` signs the requestState of questions, at least kStateKeyBytes.
  Server(tool::Registry& registry, ServerInfo info, std::string state_key = new_state_key());

  // A scope of request ids for a client of `session`. It hears of the registry's changes once it
  // has shaken hands or subscribed.
  std::shared_ptr<Peer> connect(boost::asio::any_io_executor executor,
                                std::shared_ptr<tool::Session> session);

  // One message or batch as it came, any bytes. What it starts keeps `peer` and `sink`. A tool that
  // needs no waiting has answered when this returns.
  void receive(const std::shared_ptr<Peer>& peer, std::string_view message,
               const std::shared_ptr<Sink>& sink);

  // The same for a message that a transport has decoded itself, of a text with `bytes`.
  void receive_json(const std::shared_ptr<Peer>& peer, Json message, size_t bytes,
                    const std::shared_ptr<Sink>& sink);
  void receive_message(const std::shared_ptr<Peer>& peer, Message message, size_t bytes,
                       const std::shared_ptr<Sink>& sink);

  const ServerInfo& info() const { return info_; }
  tool::Registry& registry() { return registry_; }
  StateSeal& seal() { return seal_; }
  Hub& hub() { return *hub_; }

  // Of all peers together; what is beyond them is refused at once.
  size_t most_bytes_in_flight = size_t{256} * 1024 * 1024;  // text of calls and prompts under way
  size_t most_subscriptions = 1024;

 private:
  tool::Registry& registry_;
  ServerInfo info_;
  StateSeal seal_;
  std::shared_ptr<Hub> hub_;
};

}  // namespace helve::mcp
