#include "mcp/detail/calls.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <cstdio>

#include "base/texts.h"
#include "mcp/detail/ticker.h"

namespace helve::mcp {
namespace {

struct Started {
  Server& server;
  std::shared_ptr<Peer> peer;
  std::shared_ptr<Running> running;
};

std::function<void(tool::Progress)> progress_of(const std::shared_ptr<Running>& running) {
  if (!running->progress_token) return [](const tool::Progress&) {};
  return [running](const tool::Progress& progress) { send_progress(*running, progress); };
}

std::string encode_outcome(const Started& call, const std::string& name,
                           const std::expected<tool::Answer, ProtocolError>& outcome) {
  const Running& running = *call.running;
  if (!outcome) return encode_error(running.id, outcome.error());
  const tool::Tool* tool = call.server.registry().find(name);
  const bool wrap = tool != nullptr && needs_wrapping(*tool, running.wire);
  return encode_answer(running.id, *outcome, running.wire, wrap);
}

// A library that throws inside a tool ends this call alone.
std::unexpected<ProtocolError> thrown(const std::string& name, const char* what) {
  const auto error = fail(ErrorCode::kInternal, "mcp.internal", {{"what", name}});
  std::fprintf(stderr, "%s\n", text("mcp.log.thrown", {{"tool", name}, {"reason", what}}).c_str());
  return error;
}

boost::asio::awaitable<void> run_call(Started call, std::string name, Json arguments) {
  std::expected<tool::Answer, ProtocolError> outcome;
  try {
    outcome =
        co_await call.server.registry().call(call.peer->session(), name, std::move(arguments),
                                             call.running->cancellation, progress_of(call.running));
  } catch (const std::exception& error) {
    outcome = thrown(name, error.what());
  }
  Requests requests(*call.peer);
  if (!call.running->done) {
    requests.finish(*call.running);
    call.running->sink->answer(encode_outcome(call, name, outcome));
  }
  requests.tool_returned(*call.running);
}

std::expected<void, ProtocolError> check_room(Peer& peer, const Json& id) {
  const Requests requests(peer);
  if (requests.has(id)) return fail(ErrorCode::kInvalidRequest, "mcp.id_in_use");
  if (requests.full()) {
    return fail(ErrorCode::kInternal, "mcp.too_many", {{"limit", std::to_string(Requests::kMost)}});
  }
  return {};
}

}  // namespace

std::expected<void, ProtocolError> start_call(Server& server, const std::shared_ptr<Peer>& peer,
                                              Request request, const Wire& wire,
                                              const std::shared_ptr<Sink>& sink) {
  if (auto room = check_room(*peer, request.id); !room) return room;
  auto name = need_text(request.params, "name");
  if (!name) return std::unexpected(name.error());
  auto token = progress_token(request.params);
  if (!token) return std::unexpected(token.error());
  if (server.registry().find(*name) == nullptr) {
    return fail(ErrorCode::kInvalidParams, "tool.unknown", {{"tool", *name}});
  }
  Json* arguments = request.params.if_contains("arguments");

  const auto running = Requests(*peer).open_call(request.id, wire, sink);
  running->progress_token = *std::move(token);
  boost::asio::co_spawn(peer->executor(),
                        run_call({server, peer, running}, *std::move(name),
                                 arguments == nullptr ? Json() : std::move(*arguments)),
                        boost::asio::detached);
  if (!running->closed && running->progress_token) Requests(*peer).watch_progress(running);
  return {};
}

std::expected<void, ProtocolError> start_subscription(Peer& peer, const Request& request,
                                                      const Wire& wire,
                                                      const std::shared_ptr<Sink>& sink) {
  if (auto room = check_room(peer, request.id); !room) return room;
  const Json* kinds = request.params.if_contains("notifications");
  if (kinds == nullptr || !kinds->is_object()) {
    return fail(ErrorCode::kInvalidParams, "mcp.param_invalid",
                {{"param", "notifications"}, {"expected", "object"}});
  }
  Requests(peer).open(request.id, wire, sink);
  sink->notify(encode_subscription(request.id));
  return {};
}

}  // namespace helve::mcp
