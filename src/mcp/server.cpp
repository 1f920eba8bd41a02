#include "mcp/server.h"

#include "base/text.h"
#include "mcp/detail/batch.h"
#include "mcp/detail/calls.h"

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

void handle_request(Server& server, const std::shared_ptr<Peer>& peer, Request request,
                    const std::shared_ptr<Sink>& sink) {
  const auto wire = wire_for(request, *peer, server.info());
  if (!wire) return sink->answer(encode_error(request.id, wire.error()));
  const Json id = request.id;
  std::expected<void, ProtocolError> started;
  if (request.method == "tools/call") {
    started = start_call(server, peer, std::move(request), *wire, sink);
  } else if (request.method == "subscriptions/listen" && wire->modern) {
    started = start_subscription(*peer, request, *wire, sink);
  } else {
    auto result = run_method({server.registry(), server.info(), *peer, *wire}, request);
    if (result) return sink->answer(encode_result(id, *std::move(result), *wire));
    started = std::unexpected(result.error());
  }
  if (!started) sink->answer(encode_error(id, started.error()));
}

// Notifications are never answered; those that we do not know mean nothing to us.
void handle_notification(Peer& peer, const Notification& notification) {
  if (notification.method != "notifications/cancelled") return;
  const Json* id = notification.params.if_contains("requestId");
  if (id != nullptr && is_id(*id)) Requests(peer).cancel(*id, kCancelGrace);
}

void handle_message(Server& server, const std::shared_ptr<Peer>& peer, Json value,
                    const std::shared_ptr<Sink>& sink) {
  Message message = read_message(std::move(value));
  if (auto* request = std::get_if<Request>(&message)) {
    handle_request(server, peer, std::move(*request), sink);
  } else if (const auto* notification = std::get_if<Notification>(&message)) {
    handle_notification(*peer, *notification);
  } else if (const auto* malformed = std::get_if<Malformed>(&message)) {
    sink->answer(encode_error(malformed->id, malformed->error));
  }
}

bool claims_modern(const Json& message) {
  const Json* params = find(message, "params");
  const Json* meta = params == nullptr ? nullptr : find(*params, "_meta");
  return meta != nullptr && find(*meta, "io.modelcontextprotocol/protocolVersion") != nullptr;
}

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

Server::Server(tool::Registry& registry, ServerInfo info)
    : registry_(registry), info_(std::move(info)) {}

std::shared_ptr<Peer> Server::connect(boost::asio::any_io_executor executor) const {
  return std::make_shared<Peer>(std::move(executor), std::make_shared<tool::Session>());
}

void Server::receive(const std::shared_ptr<Peer>& peer, std::string_view message,
                     const std::shared_ptr<Sink>& sink) {
  if (trim(message).empty()) return;
  auto value = parse_json(message);
  if (value) return receive_json(peer, *std::move(value), sink);
  const Json id = value.error().rule == "json.invalid" ? Json(nullptr) : salvage_id(message);
  const auto code = id.is_null() ? ErrorCode::kParse : ErrorCode::kInvalidRequest;
  sink->answer(encode_error(id, {code, value.error()}));
}

void Server::receive_json(const std::shared_ptr<Peer>& peer, Json message,
                          const std::shared_ptr<Sink>& sink) {
  if (!message.is_array()) return handle_message(*this, peer, std::move(message), sink);
  JsonArray& batch = message.get_array();
  if (const auto allowed = check_batch(batch, *peer); !allowed) {
    return sink->answer(encode_error(nullptr, allowed.error()));
  }
  const auto collected = std::make_shared<BatchSink>(sink);
  for (Json& item : batch) handle_message(*this, peer, std::move(item), collected);
}

}  // namespace helve::mcp
