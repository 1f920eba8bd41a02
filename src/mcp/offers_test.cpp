// What a server offers beside its tools, as the revisions see it: prompts, completion, binary
// resources, log messages, and names of calls that are made once.
#include <gtest/gtest.h>

#include "mcp/detail/hub.h"
#include "mcp/testing/client.h"

namespace helve::mcp::testing {
namespace {

using namespace std::chrono_literals;

tool::Prompt greeting() {
  return {.name = "greet",
          .title = "Greeting",
          .description = "Says hello.",
          .arguments = {{"who", "whom", true, {"ada", "alan", "bob"}}, {"how", ""}},
          .get = [](tool::Call& call) -> boost::asio::awaitable<Result<tool::PromptAnswer>> {
            const std::string who(as_text(call.arguments.at("who")));
            if (who == "nobody") co_return refuse("prompt.failed", {{"prompt", "greet"}});
            if (who == "all") throw std::runtime_error("too many");
            co_return tool::PromptAnswer{
                .description = "d",
                .messages = {JsonObject{
                    {"role", "user"},
                    {"content", JsonObject{{"type", "text"}, {"text", "Hello " + who}}}}}};
          }};
}

constexpr std::string_view kGreetRow =
    R"("description":"Says hello.","arguments":[{"name":"who","description":"whom",)"
    R"("required":true},{"name":"how"}]})";

TEST(Prompts, AreListedAsTheRevisionKnowsThem) {
  for (const char* revision : {"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"}) {
    SCOPED_TRACE(revision);
    Client client;
    ASSERT_TRUE(client.registry.add(greeting()));
    client.begin(revision);
    const bool is_modern = std::string_view(revision) >= "2026";
    const Json result = parse_json(client.ask(is_modern ? modern("1", "prompts/list")
                                                        : legacy("1", "prompts/list")))
                            .value()
                            .at("result");
    const bool titled = std::string_view(revision) >= "2025-06-18";
    EXPECT_EQ(write_json(result.at("prompts")), std::string(R"([{"name":"greet",)") +
                                                    (titled ? R"("title":"Greeting",)" : "") +
                                                    std::string(kGreetRow) + "]");
    EXPECT_EQ(find(result, "ttlMs") != nullptr, is_modern);
  }
}

struct PromptCase {
  const char *name, *params, *outcome;
};
constexpr PromptCase kPrompts[] = {
    {"what is asked for", R"("name":"greet","arguments":{"who":"x"})", "7 ok"},
    {"no arguments", R"("name":"greet")", "7 -32602 prompt.argument"},
    {"an argument too many", R"("name":"greet","arguments":{"who":"x","when":"now"})",
     "7 -32602 prompt.argument"},
    {"one that fails", R"("name":"greet","arguments":{"who":"nobody"})", "7 -32603 prompt.failed"},
    {"one that throws", R"("name":"greet","arguments":{"who":"all"})", "7 -32603 mcp.internal"},
};

TEST(Prompts, AreGotOrRefused) {
  for (const PromptCase& c : kPrompts) {
    SCOPED_TRACE(c.name);
    Client client;
    ASSERT_TRUE(client.registry.add(greeting()));
    EXPECT_EQ(outcome(client.ask(modern("7", "prompts/get", c.params))), c.outcome);
    EXPECT_EQ(outcome(client.ask(legacy("7", "prompts/get", c.params))), c.outcome);
  }
}

TEST(Prompts, HaveADescriptionAndMessages) {
  Client client;
  ASSERT_TRUE(client.registry.add(greeting()));
  client.begin("2024-11-05");
  EXPECT_EQ(client.ask(legacy("1", "prompts/get", R"("name":"greet","arguments":{"who":"x"})")),
            R"({"jsonrpc":"2.0","id":1,"result":{"description":"d","messages":[{"role":"user",)"
            R"("content":{"type":"text","text":"Hello x"}}]}})");
}

struct CompletionCase {
  const char *name, *ref, *argument, *completion;
};
constexpr CompletionCase kCompletions[] = {
    {"an argument of a prompt", R"({"type":"ref/prompt","name":"greet"})",
     R"({"name":"who","value":"a"})", R"({"values":["ada","alan"],"total":2,"hasMore":false})"},
    {"one that takes anything", R"({"type":"ref/prompt","name":"greet"})",
     R"({"name":"how","value":""})", R"({"values":[],"total":0,"hasMore":false})"},
    {"a variable of a template", R"({"type":"ref/resource","uri":"x:{n}"})",
     R"({"name":"n","value":"7"})", R"({"values":["7"],"total":1,"hasMore":false})"},
};

tool::ResourceProvider numbered() {
  return {.prefix = "x:",
          .templates = {{"x:{n}", "number", "", "",
                         [](tool::Session&, std::string_view) {
                           return std::vector<std::string>{"6", "7"};
                         }}},
          .read = [](tool::Session&, const std::string& uri) -> Result<tool::ResourceBody> {
            return tool::ResourceBody{"image/png", std::string("\0\xFF", 2), uri == "x:7"};
          }};
}

TEST(Completion, OffersWhatBeginsTheSame) {
  for (const CompletionCase& c : kCompletions) {
    SCOPED_TRACE(c.name);
    Client client;
    ASSERT_TRUE(client.registry.add(greeting()));
    client.registry.add(numbered());
    const std::string params = R"("ref":)" + std::string(c.ref) + R"(,"argument":)" + c.argument;
    EXPECT_EQ(
        client.ask(legacy("1", "completion/complete", params)),
        R"({"jsonrpc":"2.0","id":1,"result":{"completion":)" + std::string(c.completion) + "}}");
  }
}

TEST(Resources, R14BytesAreSentAsBase64AndTextAsText) {
  Client client;
  client.registry.add(numbered());
  EXPECT_EQ(client.ask(legacy("1", "resources/read", R"("uri":"x:7")")),
            R"({"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"x:7","blob":"AP8=",)"
            R"("mimeType":"image/png"}]}})");
  EXPECT_NE(client.ask(legacy("1", "resources/read", R"("uri":"x:6")")).find("\xEF\xBF\xBD"),
            std::string::npos);
}

TEST(Tools, DeferredOnesAreCalledWithoutBeingListed) {
  tool::Tool hidden = answering("hidden", {.text = "here"});
  hidden.deferred = true;
  Client client({hidden, echo()});
  EXPECT_EQ(client.ask(legacy("1", "tools/list")).find("hidden"), std::string::npos);
  EXPECT_EQ(outcome(client.ask(legacy("1", "tools/call", R"("name":"hidden")"))), "1 ok");
}

// Logs at every level, and once more after it was cancelled.
tool::Tool talking() {
  tool::Tool tool = patient();
  tool.name = "talk";
  tool.run = [inner = tool.run](tool::Call& call) -> boost::asio::awaitable<Result<tool::Answer>> {
    for (int level = 0; level < 8; ++level) {
      call.log({static_cast<tool::LogLevel>(level), Json(level)});
    }
    auto answer = co_await inner(call);
    call.log({tool::LogLevel::kEmergency, "late"});
    co_return answer;
  };
  return tool;
}

struct LogCase {
  const char *name, *revision, *level;
  size_t messages;
};
constexpr LogCase kLogs[] = {
    {"a client that shook hands gets info and above", "2025-11-25", "", 7},
    {"it may want more", "2024-11-05", "debug", 8},
    {"it may want less", "2025-06-18", "critical", 3},
    {"a modern client gets none unless it asks", "2026-07-28", "", 0},
    {"a modern client that asks", "2026-07-28", "warning", 5},
};

TEST(Logs, AreSentFromTheLevelThatTheClientWants) {
  for (const LogCase& c : kLogs) {
    SCOPED_TRACE(c.name);
    Client client({talking()});
    client.begin(c.revision);
    const std::string_view level = c.level;
    const std::string wanted = R"("level":")" + std::string(level) + "\"";
    if (std::string_view(c.revision) < "2026") {
      if (!level.empty()) client.send(legacy("0", "logging/setLevel", wanted));
      client.send(legacy("1", "tools/call", R"("name":"talk")"));
    } else {
      const std::string meta = R"(,"io.modelcontextprotocol/logLevel":")" + std::string(level);
      client.send(
          capable("{}", "1", "tools/call", R"("name":"talk")", level.empty() ? "" : meta + "\""));
    }
    EXPECT_EQ(client.recorder->notes.size(), c.messages);
    client.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
    EXPECT_EQ(client.recorder->notes.size(), c.messages) << "nothing after the end";
  }
}

TEST(Logs, NameTheirToolAndLevel) {
  Client client({talking()});
  client.begin("2025-11-25");
  client.send(legacy("0", "logging/setLevel", R"("level":"emergency")"));
  client.send(legacy("1", "tools/call", R"("name":"talk")"));
  EXPECT_EQ(join(client.recorder->notes, "\n"),
            R"({"jsonrpc":"2.0","method":"notifications/message","params":)"
            R"({"level":"emergency","logger":"talk","data":7}})");
  client.recorder->full = true;
  client.send(legacy("2", "tools/call", R"("name":"talk")"));
  EXPECT_EQ(client.recorder->notes.size(), 1U) << "left out for a client that does not read";
  client.peer->end(0ms);
  client.context.restart();
  client.context.poll();
}

TEST(IdempotencyKeys, MakeACallOnce) {
  int calls = 0;
  tool::Tool counting = answering("count", {});
  counting.run = [&](tool::Call&) -> boost::asio::awaitable<Result<tool::Answer>> {
    co_return tool::Answer{.text = std::to_string(++calls)};
  };
  Client client({counting});
  const std::string params = R"("name":"count","_meta":{"io.helve/idempotencyKey":"k"})";
  const std::string first = client.ask(legacy("1", "tools/call", params));
  EXPECT_EQ(client.ask(legacy("1", "tools/call", params)), first);
  EXPECT_EQ(calls, 1);
  client.send(legacy("1", "tools/call", R"("name":"count")"));
  EXPECT_EQ(calls, 2) << "nothing else makes two calls one";
}

TEST(Calls, MoreTextThanTheBudgetIsRefusedAtOnce) {
  Client client({patient(), echo()});
  const std::string wait = legacy("1", "tools/call", R"("name":"wait")");
  client.server.most_bytes_in_flight = 2 * wait.size();
  client.send(wait);
  EXPECT_EQ(client.server.hub().bytes, wait.size());
  const std::string large =
      legacy("2", "tools/call",
             R"("name":"echo","arguments":{"message":")" + std::string(wait.size(), 'x') + "\"}");
  EXPECT_EQ(outcome(client.ask(large)), "2 -32603 mcp.too_much_in_flight");
  EXPECT_EQ(outcome(client.ask(legacy("3", "ping"))), "3 ok");
  const auto other = client.server.connect(client.context.get_executor(), client.session);
  client.server.receive(other, wait, client.recorder);
  EXPECT_EQ(client.server.hub().bytes, 2 * wait.size()) << "all clients together";
  client.peer->end(0ms);
  other->end(0ms);
  client.context.restart();
  client.context.poll();
  EXPECT_EQ(client.server.hub().bytes, 0U);
  EXPECT_EQ(outcome(client.ask(legacy("4", "tools/call",
                                      R"("name":"echo","arguments":)"
                                      R"({"message":"x"})"))),
            "4 ok");
}

}  // namespace
}  // namespace helve::mcp::testing
