#include "mcp/server.h"

#include <algorithm>

#include "base/text.h"
#include "mcp/detail/batch.h"
#include "mcp/detail/calls.h"
#include "mcp/detail/hub.h"
#include "mcp/detail/questions.h"
#include "mcp/detail/subscriptions.h"

namespace helve::mcp {
namespace {

using namespace std::chrono_literals;

constexpr Duration kCancelGrace = 1500ms;  // decisions, section 5
constexpr size_t kMostInBatch = 256;

// The era of one request: its own envelope decides, else the handshake of this client.
std::expected<Wire, ProtocolError> wire_for(const Request& request, const Peer& peer,
                                            const ServerInfo& info) {
  const auto claimed = claimed_version(request);
  if (!claimed) return std::unexpected(claimed.error());
  if (*claimed) return wire_of(**claimed, info);
  return wire_of(peer.revision.empty() ? kLegacy.front() : std::string_view(peer.revision), info);
}

void send_error(Sink& sink, const Json& id, const ProtocolError& error) {
  sink.answer(encode_error(id, error), static_cast<int>(error.code));
}

void handle_request(const Arrival& arrival, Request request) {
  Peer& peer = *arrival.peer;
  const ServerInfo& info = arrival.server.info();
  const auto wire = wire_for(request, peer, info);
  if (!wire) return send_error(*arrival.sink, request.id, wire.error());
  const Json id = request.id;
  std::expected<void, ProtocolError> started;
  if (request.method == "tools/call" || request.method == "prompts/get") {
    started = start_call(arrival, std::move(request), *wire);
  } else if (request.method == "subscriptions/listen" && wire->modern) {
    started = start_subscription(arrival.server, peer, request, *wire, arrival.sink);
  } else {
    auto result = run_method({arrival.server.registry(), info, peer, *wire}, request);
    if (result) return arrival.sink->answer(encode_result(id, *std::move(result), *wire));
    started = std::unexpected(result.error());
  }
  if (!started) send_error(*arrival.sink, id, started.error());
}

// Notifications are never answered; those that we do not know mean nothing to us.
void handle_notification(Peer& peer, const Notification& notification) {
  if (notification.method != "notifications/cancelled") return;
  const Json* id = notification.params.if_contains("requestId");
  if (id != nullptr && is_id(*id)) Requests(peer).cancel(*id, kCancelGrace);
}

void handle_message(const Arrival& arrival, Message message) {
  if (auto* request = std::get_if<Request>(&message)) {
    handle_request(arrival, std::move(*request));
  } else if (const auto* notification = std::get_if<Notification>(&message)) {
    handle_notification(*arrival.peer, *notification);
  } else if (auto* response = std::get_if<Response>(&message)) {
    Questions(*arrival.peer).receive(std::move(*response));
  } else if (const auto* malformed = std::get_if<Malformed>(&message)) {
    send_error(*arrival.sink, malformed->id, malformed->error);
  }
}

bool claims_modern(const Json& message) {
  const Json* params = find(message, "params");
  const Json* meta = params == nullptr ? nullptr : find(*params, "_meta");
  return meta != nullptr && find(*meta, "io.modelcontextprotocol/protocolVersion") != nullptr;
}

// Batches come after a handshake and never bring another, which would change the revision under
// way.
bool is_handshake(const Request& request) { return request.method == "initialize"; }

// Batches exist in 2025-03-26 alone.
std::expected<void, ProtocolError> check_batch(const JsonArray& batch, const Peer& peer) {
  if (peer.revision != "2025-03-26" || std::ranges::any_of(batch, claims_modern)) {
    return fail(ErrorCode::kInvalidRequest, "mcp.batch_unsupported");
  }
  if (batch.empty() || batch.size() > kMostInBatch) {
    return fail(ErrorCode::kInvalidRequest, "mcp.batch_size",
                {{"limit", std::to_string(kMostInBatch)}});
  }
  return {};
}

}  // namespace

// The registry keeps its listeners for good, so this one must not keep the hub.
Server::Server(tool::Registry& registry, ServerInfo info, std::string state_key)
    : registry_(registry),
      info_(std::move(info)),
      seal_(std::move(state_key)),
      hub_(std::make_shared<Hub>()) {
  registry_.on_change([weak = std::weak_ptr(hub_)](const tool::Change& change) {
    if (const auto hub = weak.lock()) hub->note(change);
  });
}

std::shared_ptr<Peer> Server::connect(boost::asio::any_io_executor executor,
                                      std::shared_ptr<tool::Session> session) {
  return std::make_shared<Peer>(hub_, std::move(executor), std::move(session));
}

void Server::receive(const std::shared_ptr<Peer>& peer, std::string_view message,
                     const std::shared_ptr<Sink>& sink) {
  if (trim(message).empty()) return;
  auto value = decode(message);
  if (value) return receive_json(peer, *std::move(value), message.size(), sink);
  send_error(*sink, value.error().id, value.error().error);
}

void Server::receive_json(const std::shared_ptr<Peer>& peer, Json message, size_t bytes,
                          const std::shared_ptr<Sink>& sink) {
  if (!message.is_array()) {
    return receive_message(peer, read_message(std::move(message)), bytes, sink);
  }
  JsonArray& batch = message.get_array();
  if (const auto allowed = check_batch(batch, *peer); !allowed) {
    return send_error(*sink, nullptr, allowed.error());
  }
  const std::shared_ptr<Sink> collected = std::make_shared<BatchSink>(sink);
  const size_t share = bytes / batch.size();
  for (Json& item : batch) {
    Message one = read_message(std::move(item));
    if (const auto* request = std::get_if<Request>(&one); request && is_handshake(*request)) {
      const auto error = fail(ErrorCode::kInvalidRequest, "mcp.initialized_already").error();
      send_error(*collected, request->id, error);
    } else {
      receive_message(peer, std::move(one), share, collected);
    }
  }
}

void Server::receive_message(const std::shared_ptr<Peer>& peer, Message message, size_t bytes,
                             const std::shared_ptr<Sink>& sink) {
  handle_message({*this, peer, sink, bytes}, std::move(message));
}

}  // namespace helve::mcp
