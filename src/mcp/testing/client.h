// mcp/testing/client.h
//
// Tests only: a client that talks to a Server without a transport and keeps what it is told.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "mcp/server.h"

namespace helve::mcp::testing {

struct Recorder : Sink {
  void answer(std::string message, int error_code) override {
    answers.push_back(std::move(message));
    codes.push_back(error_code);
  }
  void notify(std::string message) override { notes.push_back(std::move(message)); }
  bool congested() const override { return full; }
  std::vector<std::string> answers, notes;
  std::vector<int> codes;  // of the answers
  bool full = false;
};

// A tool that waits until it is cancelled, and then answers all the same.
inline tool::Tool patient() {
  return {
      .name = "wait",
      .description = "Waits until it is cancelled.",
      .input = JsonObject{{"type", "object"}, {"properties", JsonObject()}},
      .run = [](tool::Call& call) -> boost::asio::awaitable<Result<tool::Answer>> {
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor,
                                        Clock::time_point::max());
        call.cancellation->on_request([&](Duration) { timer.cancel(); });
        call.progress({.done = 1, .message = "begun"});
        boost::system::error_code error;
        if (!call.cancellation->requested()) {
          co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, error));
        }
        call.progress({.done = 2, .message = "after the cancel"});
        co_return tool::Answer{.text = "ended"};
      }};
}

inline tool::Tool echo() {
  return {.name = "echo",
          .description = "Says it again.",
          .input = parse_json(R"({"type": "object", "properties": {"message": {"type": "string",
              "description": "x"}}, "required": ["message"]})")
                       .value(),
          .annotations = {.title = "Echo", .read_only = true},
          .run = [](tool::Call& call) -> boost::asio::awaitable<Result<tool::Answer>> {
            co_return tool::Answer{.text = std::string(as_text(call.arguments.at("message")))};
          }};
}

inline tool::Tool answering(std::string name, tool::Answer answer,
                            std::optional<Json> output = std::nullopt) {
  return {.name = std::move(name),
          .description = "Answers always the same.",
          .input = JsonObject{{"type", "object"}, {"properties", JsonObject()}},
          .output = std::move(output),
          .run = [answer](tool::Call&) -> boost::asio::awaitable<Result<tool::Answer>> {
            co_return answer;
          }};
}

class Client {
 public:
  explicit Client(std::vector<tool::Tool> tools = {})
      : server(registry, {"test", "1", "root: /r"}) {
    for (tool::Tool& tool : tools) HELVE_CHECK(registry.add(std::move(tool)));
    peer = server.connect(context.get_executor(), session);
    peer->push = pushed;
  }

  void send(std::string_view line) {
    server.receive(peer, line, recorder);
    context.restart();
    context.poll();
  }

  // "2025-03-26" begins with a handshake, the modern revision with nothing.
  void begin(const std::string& revision, const std::string& capabilities = "{}") {
    if (revision.empty() || revision >= "2026") return;
    send(R"({"jsonrpc":"2.0","id":"begin","method":"initialize","params":{"protocolVersion":")" +
         revision + R"(","capabilities":)" + capabilities + "}}");
    recorder->answers.clear();
  }

  // The answers to one line, joined; empty if there is none.
  std::string ask(std::string_view line) {
    recorder->answers.clear();
    send(line);
    return join(recorder->answers, "\n");
  }

  boost::asio::io_context context;
  tool::Registry registry;
  Server server;
  std::shared_ptr<tool::Session> session = std::make_shared<tool::Session>();
  std::shared_ptr<Peer> peer;
  std::shared_ptr<Recorder> recorder = std::make_shared<Recorder>();
  std::shared_ptr<Recorder> pushed = std::make_shared<Recorder>();  // what belongs to no request
};

inline constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

// A modern request; `params` are the members behind `_meta`.
inline std::string modern(std::string_view id, std::string_view method,
                          std::string_view params = "") {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) +
         R"(","params":{)" + std::string(kMeta) + (params.empty() ? "" : ",") +
         std::string(params) + "}}";
}
// The same of a client with capabilities, and with more members of `_meta`: R"(,"k":1)".
inline std::string capable(std::string_view capabilities, std::string_view id,
                           std::string_view method, std::string_view params,
                           std::string_view meta = "") {
  std::string out = modern(id, method, params);
  const std::string_view none = R"("io.modelcontextprotocol/clientCapabilities":{})";
  return out.replace(out.find(none) + none.size() - 2, 2,
                     std::string(capabilities) + std::string(meta));
}
inline std::string legacy(std::string_view id, std::string_view method,
                          std::string_view params = "") {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) +
         R"(","params":{)" + std::string(params) + "}}";
}

// "7 -32602 mcp.param_invalid" for an error, "7 ok" for a result.
inline std::string outcome(std::string_view message) {
  if (message.empty()) return "";
  const Json value = parse_json(message).value();
  if (!value.is_object()) return "array";
  const std::string id = write_json(value.at("id"));
  const Json* error = find(value, "error");
  if (error == nullptr) return id + " ok";
  return id + " " + write_json(error->at("code")) + " " +
         std::string(as_text(error->at("data").at("rule")));
}

}  // namespace helve::mcp::testing
