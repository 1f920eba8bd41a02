#include "mcp/detail/calls.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <cstdio>

#include "base/texts.h"
#include "mcp/detail/rounds.h"

namespace helve::mcp {
namespace {

namespace asio = boost::asio;

// A library that throws inside a tool ends this call alone.
Done thrown(const Work& work, const char* what) {
  std::fprintf(stderr, "%s\n",
               text("mcp.log.thrown", {{"tool", work.running->name}, {"reason", what}}).c_str());
  const auto error =
      fail(ErrorCode::kInternal, "mcp.internal", {{"what", work.running->name}}).error();
  return {encode_error(work.running->id, error), static_cast<int>(error.code)};
}

void finish(const Work& work, Done done) {
  Running& running = *work.running;
  if (!running.done) {
    Requests(*work.peer).finish(running);
    running.sink->answer(std::move(done.message), done.code);
  }
  Requests::close(running);
}

// One frame for all rounds: this is the path of every call.
asio::awaitable<void> run(Work work, tool::Round round) {
  tool::Registry& registry = work.server.registry();
  const auto session = work.peer->session();
  std::optional<Done> done;
  try {
    for (size_t rounds = 0; !done; ++rounds) {
      auto request = request_of(work, std::exchange(round, {}));
      Turn turn = work.tool
                      ? turn_of(work, co_await registry.call(session, std::move(request)))
                      : turn_of(work, co_await registry.get_prompt(session, std::move(request)));
      if (auto* ended = std::get_if<Done>(&turn)) {
        done = std::move(*ended);
        continue;
      }
      auto next = co_await next_round(work, std::get<tool::Needs>(std::move(turn)), rounds);
      if (next) {
        round = *std::move(next);
      } else {
        done = std::move(next.error());
      }
    }
  } catch (const std::exception& error) {
    done = thrown(work, error.what());
  }
  finish(work, *std::move(done));
}

std::expected<void, ProtocolError> check_room(const Arrival& arrival, const Json& id) {
  const Requests requests(*arrival.peer);
  if (requests.has(id)) return fail(ErrorCode::kInvalidRequest, "mcp.id_in_use");
  if (requests.full()) {
    return fail(ErrorCode::kInternal, "mcp.too_many", {{"limit", std::to_string(Requests::kMost)}});
  }
  const size_t limit = arrival.server.most_bytes_in_flight;
  if (arrival.bytes <= limit && arrival.server.hub().bytes <= limit - arrival.bytes) return {};
  return fail(ErrorCode::kInternal, "mcp.too_much_in_flight", {{"limit", bytes_text(limit)}});
}

// What the request says of itself in `_meta`, and its client in the handshake.
std::expected<void, ProtocolError> read_terms(Work& work, const JsonObject& params) {
  auto token = progress_token(params);
  if (!token) return std::unexpected(token.error());
  work.running->progress_token = *std::move(token);
  auto key = idempotency_key(params);
  if (!key) return std::unexpected(key.error());
  work.idempotency_key = *std::move(key);
  const bool modern = work.running->wire.modern;
  work.asks = modern ? claimed_asks(params) : work.peer->can_ask;
  work.running->log_from = modern ? claimed_log_level(params) : work.peer->log_level;
  return {};
}

std::expected<Work, ProtocolError> read_work(const Arrival& arrival, Request& request,
                                             const Wire& wire) {
  auto name = need_text(request.params, "name");
  if (!name) return std::unexpected(name.error());
  Work work{.server = arrival.server, .peer = arrival.peer};
  if (request.method == "tools/call") {
    work.tool = arrival.server.registry().find(*name);
    if (!work.tool) return fail(ErrorCode::kInvalidParams, "tool.unknown", {{"tool", *name}});
  }
  if (Json* arguments = request.params.if_contains("arguments")) {
    work.arguments = std::move(*arguments);
  }
  work.running = std::make_shared<Running>();
  work.running->id = std::move(request.id);
  work.running->wire = wire;
  work.running->name = *std::move(name);
  if (auto terms = read_terms(work, request.params); !terms) {
    return std::unexpected(terms.error());
  }
  return work;
}

}  // namespace

std::expected<void, ProtocolError> start_call(const Arrival& arrival, Request request,
                                              const Wire& wire) {
  if (auto room = check_room(arrival, request.id); !room) return room;
  auto work = read_work(arrival, request, wire);
  if (!work) return std::unexpected(work.error());
  tool::Round round;
  if (wire.modern) {
    auto read = read_round(*work, request.params);
    if (!read) return std::unexpected(read.error());
    round = *std::move(read);
  }
  const auto running = work->running;
  running->cancellation = std::make_shared<tool::Cancellation>();
  running->sink = arrival.sink;
  Requests requests(*arrival.peer);
  running->share = requests.share(arrival.bytes, 0);
  requests.open(running);
  asio::co_spawn(arrival.peer->executor(), run(*std::move(work), std::move(round)), asio::detached);
  if (!running->closed && running->progress_token) requests.watch_progress(running);
  return {};
}

}  // namespace helve::mcp
