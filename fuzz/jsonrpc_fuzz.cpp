// Lines of a client, as they may come: never a crash, every answer one valid JSON-RPC line.
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/check.h"
#include "base/text.h"
#include "mcp/detail/hub.h"
#include "mcp/server.h"

namespace {

using namespace helve;
namespace asio = boost::asio;

void check_message(const Json& message) {
  HELVE_CHECK(find_text(message, "jsonrpc") == "2.0");
  const Json* error = find(message, "error");
  HELVE_CHECK(error == nullptr || find_text(error->at("data"), "next"));
  const bool answer = find(message, "result") != nullptr || find(message, "error") != nullptr;
  HELVE_CHECK(answer != (find(message, "method") != nullptr));
}

struct CheckingSink : mcp::Sink {
  void answer(std::string message, int error_code) override {
    check(message);
    if (error_code != 0) HELVE_CHECK(message.contains("\"error\""));
  }
  void notify(std::string message) override { check(message); }

  static void check(const std::string& message) {
    HELVE_CHECK(!message.contains('\n'));
    HELVE_CHECK(is_utf8(message));
    const auto value = parse_json(message);
    HELVE_CHECK(value);
    if (!value->is_array()) return check_message(*value);
    for (const Json& item : value->get_array()) check_message(item);
  }
};

Json object_of(std::string_view properties) {
  return parse_json(R"({"type":"object","properties":{)" + std::string(properties) + "}}").value();
}

asio::awaitable<Result<tool::Answer>> mirror(tool::Call& call) {
  co_return tool::Answer{.text = write_json(call.arguments), .structured = call.arguments};
}

asio::awaitable<Result<tool::Answer>> wait(tool::Call& call) {
  asio::steady_timer timer(co_await asio::this_coro::executor, Clock::time_point::max());
  call.cancellation->on_request([&](Duration) { timer.cancel(); });
  call.progress({.done = 1});
  boost::system::error_code error;
  if (!call.cancellation->requested()) {
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
  }
  co_return tool::Answer{.text = "ended"};
}

constexpr std::string_view kMethods[] = {"elicitation/create", "sampling/createMessage",
                                         "roots/list"};

// Asks once for what `n` names, and answers with what came back.
std::optional<tool::Needs> needs_of(const tool::Call& call) {
  if (!call.round.inputs.empty()) return std::nullopt;
  const Json* n = find(call.arguments, "n");
  const size_t method = n == nullptr || !n->is_int64() ? 0 : static_cast<size_t>(n->get_int64());
  const std::string_view asked = kMethods[method % std::size(kMethods)];
  call.log({.data = Json(asked)});
  return tool::Needs{{{"k", std::string(asked), {{"message", "x"}}}}, call.arguments};
}

asio::awaitable<Result<tool::Answer>> ask(tool::Call& call) {
  tool::Answer answer{.text = write_json(call.round.inputs)};
  answer.needs = needs_of(call);
  co_return answer;
}

asio::awaitable<Result<tool::PromptAnswer>> prompt(tool::Call& call) {
  const JsonObject content{{"type", "text"}, {"text", write_json(call.arguments)}};
  co_return tool::PromptAnswer{.messages = {JsonObject{{"role", "user"}, {"content", content}}},
                               .needs = needs_of(call)};
}

// Tells everybody that everything has changed.
asio::awaitable<Result<tool::Answer>> change(tool::Registry& registry) {
  using What = tool::Change::What;
  for (const What what : {What::kTools, What::kPrompts, What::kResources}) registry.changed({what});
  registry.changed({What::kResource, "x:1"});
  co_return tool::Answer{.text = "changed"};
}

Result<tool::ResourceBody> read(tool::Session&, const std::string& uri) {
  return tool::ResourceBody{"text/plain", uri, uri.ends_with('b')};
}

void add_all(tool::Registry& registry) {
  HELVE_CHECK(registry.add(
      {.name = "mirror",
       .description = "x",
       .input = object_of(R"("n":{"type":"integer","description":"x"},"l":{"type":"array",)"
                          R"("items":{"type":"string"},"description":"x"})"),
       .run = mirror}));
  HELVE_CHECK(
      registry.add({.name = "wait", .description = "x", .input = object_of(""), .run = wait}));
  HELVE_CHECK(registry.add({.name = "ask",
                            .description = "x",
                            .input = object_of(R"("n":{"type":"integer","description":"x"})"),
                            .run = ask}));
  HELVE_CHECK(registry.add({.name = "change",
                            .description = "x",
                            .input = object_of(""),
                            .run = [&registry](tool::Call&) { return change(registry); }}));
  HELVE_CHECK(registry.add(tool::Prompt{.name = "prompt",
                                        .description = "x",
                                        .arguments = {{"a", "x", false, {"b"}}},
                                        .get = prompt}));
  registry.add(tool::ResourceProvider{.prefix = "x:", .read = read});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static tool::Registry& registry = *[] {
    auto* filled = new tool::Registry;
    add_all(*filled);
    return filled;
  }();
  static mcp::Server server(registry, {"fuzz", "1", "x"});
  asio::io_context context;
  const auto session = std::make_shared<tool::Session>();
  const auto peer = server.connect(context.get_executor(), session);
  const auto sink = std::make_shared<CheckingSink>();
  peer->push = sink;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  for (const std::string_view line : split(input, '\n')) {
    server.receive(peer, line, sink);
    context.restart();
    context.poll();
  }
  peer->end(Duration(0));
  session->end(Duration(0));
  context.restart();
  context.poll();
  HELVE_CHECK(session->open_calls() == 0);
  HELVE_CHECK(server.hub().bytes == 0 && server.hub().subscriptions == 0);
  return 0;
}
