// Calls that take time: cancellation, progress, subscriptions, the end of a client.
#include <gtest/gtest.h>

#include "mcp/detail/ticker.h"
#include "mcp/testing/client.h"

namespace helve::mcp::testing {
namespace {

using namespace std::chrono_literals;

const std::string kCancel =
    R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";

TEST(Calls, R10ACancelledCallIsNeverAnsweredAndOthersAreNotTouched) {
  Client client({patient(), echo()});
  client.send(modern("1", "tools/call", R"("name":"wait")"));
  client.send(modern("2", "tools/call", R"("name":"wait")"));
  EXPECT_EQ(client.session->open_calls(), 2U);
  client.send(kCancel);
  EXPECT_EQ(client.session->open_calls(), 1U);
  EXPECT_TRUE(client.recorder->answers.empty());
  EXPECT_EQ(outcome(client.ask(modern("1", "tools/call", R"("name":"echo")"))), "1 ok")
      << "the id is free again";
  client.peer->end(0ms);
  client.context.poll();
}

TEST(Calls, R11AWaitingCallDelaysNothing) {
  Client client({patient(), echo()});
  for (int id = 100; id < 164; ++id) {
    client.send(legacy(std::to_string(id), "tools/call", R"("name":"wait")"));
  }
  EXPECT_EQ(outcome(client.ask(legacy("7", "ping"))), "7 ok");
  client.peer->end(0ms);
  client.context.poll();
  EXPECT_EQ(client.session->open_calls(), 0U);
}

TEST(Calls, AnIdUnderWayIsNotUsedTwice) {
  Client client({patient()});
  client.send(modern("1", "tools/call", R"("name":"wait")"));
  EXPECT_EQ(outcome(client.ask(modern("1", "tools/call", R"("name":"wait")"))),
            "1 -32600 mcp.id_in_use");
  EXPECT_EQ(outcome(client.ask(modern("\"1\"", "tools/call", R"("name":"wait")"))), "")
      << "the same as text is another id";
  client.peer->end(0ms);
  client.context.poll();
}

TEST(Calls, NoMoreAreUnderWayThanTheLimit) {
  Client client({patient()});
  for (int id = 0; id < 1024; ++id) {
    client.server.receive(client.peer, modern(std::to_string(id), "tools/call", R"("name":"wait")"),
                          client.recorder);
  }
  EXPECT_EQ(outcome(client.ask(modern("5000", "tools/call", R"("name":"wait")"))),
            "5000 -32603 mcp.too_many");
  client.peer->end(0ms);
  client.context.poll();
}

TEST(Calls, AToolThatThrowsIsAnInternalErrorOfThatCall) {
  tool::Tool thrower = answering("throws", {});
  thrower.run = [](tool::Call&) -> boost::asio::awaitable<Result<tool::Answer>> {
    throw std::runtime_error("oh");
    co_return tool::Answer{};
  };
  Client client({thrower});
  EXPECT_EQ(outcome(client.ask(modern("1", "tools/call", R"("name":"throws")"))),
            "1 -32603 mcp.internal");
  EXPECT_EQ(client.session->open_calls(), 0U);
}

TEST(Calls, R2TheEndOfAClientCancelsItsCallsAndTellsWhenTheyAreGone) {
  Client client({patient()});
  client.send(legacy("1", "tools/call", R"("name":"wait")"));
  bool idle = false;
  client.peer->end(500ms);
  client.session->when_idle([&] { idle = true; });
  EXPECT_FALSE(idle);
  client.context.restart();
  client.context.poll();
  EXPECT_TRUE(idle);
  EXPECT_TRUE(client.recorder->answers.empty());
}

const std::string kWithToken = R"("name":"wait","_meta":{"progressToken":"p"})";

TEST(Progress, R6OnlyForATokenAndNeverAfterTheAnswer) {
  Client client({patient()});
  client.send(legacy("1", "tools/call", R"("name":"wait")"));
  EXPECT_TRUE(client.recorder->notes.empty());
  client.send(legacy("2", "tools/call", kWithToken));
  ASSERT_EQ(client.recorder->notes.size(), 1U);
  EXPECT_EQ(client.recorder->notes[0],
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"
            R"({"progressToken":"p","progress":1,"message":"begun"}})");
  client.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  EXPECT_EQ(client.recorder->notes.size(), 1U);
  client.peer->end(0ms);
  client.context.poll();
}

double last_progress(const Recorder& recorder) {
  const Json note = parse_json(recorder.notes.back()).value();
  return note.at("params").at("progress").to_number<double>();
}

TEST(Progress, R6AlwaysGrowsWhateverTheToolSays) {
  const auto recorder = std::make_shared<Recorder>();
  Running running;
  running.sink = recorder;
  running.progress_token = Json(1);
  double before = -1;
  for (const double said : {0.0, 0.0, 50.0, 20.0, 50.0, 100.0, 100.0}) {
    send_progress(running, {.done = said, .total = 100});
    EXPECT_GT(last_progress(*recorder), before);
    before = last_progress(*recorder);
  }
  EXPECT_EQ(recorder->notes.size(), 7U);
  EXPECT_EQ(recorder->notes.back().find("total"), std::string::npos) << "100.001 of 100 is wrong";
}

TEST(Progress, IsLeftOutForAClientThatDoesNotRead) {
  const auto recorder = std::make_shared<Recorder>();
  recorder->full = true;
  Running running;
  running.sink = recorder;
  running.progress_token = Json(1);
  send_progress(running, {.done = 1});
  EXPECT_TRUE(recorder->notes.empty());
  EXPECT_FALSE(running.spoke);
}

TEST(Progress, R6IsDueWithinFiveSecondsAndThenWithinTen) {
  Running running;
  const auto start = running.started;
  EXPECT_FALSE(progress_is_due(running, start + 3s));
  EXPECT_TRUE(progress_is_due(running, start + 4s)) << "the next tick may be a second away";
  running.spoke = start + 4s;
  EXPECT_FALSE(progress_is_due(running, start + 11s));
  EXPECT_TRUE(progress_is_due(running, start + 13s));
}

TEST(Subscriptions, AreAcknowledgedFirstAndEndWithAnEmptyResult) {
  Client client;
  client.send(modern("1", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})"));
  ASSERT_EQ(client.recorder->notes.size(), 1U);
  EXPECT_EQ(client.recorder->notes[0],
            R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":)"
            R"({"_meta":{"io.modelcontextprotocol/subscriptionId":1},)"
            R"("notifications":{"toolsListChanged":true}}})");
  EXPECT_TRUE(client.recorder->answers.empty());
  client.peer->end(0ms);
  ASSERT_EQ(client.recorder->answers.size(), 1U);
  EXPECT_NE(client.recorder->answers[0].find(R"("io.modelcontextprotocol/subscriptionId":1)"),
            std::string::npos);
}

TEST(Subscriptions, ACancelledOneEndsInSilence) {
  Client client;
  client.send(modern("1", "subscriptions/listen", R"("notifications":{})"));
  client.send(kCancel);
  client.peer->end(0ms);
  EXPECT_TRUE(client.recorder->answers.empty());
}

TEST(Resources, AreListedInPagesAndRead) {
  Client client;
  client.registry.add(tool::ResourceProvider{
      .prefix = "x:",
      .list =
          [](tool::Session&) {
            std::vector<tool::Resource> all;
            for (int i = 0; i < 250; ++i)
              all.push_back({.uri = "x:" + std::to_string(i), .name = "n"});
            return all;
          },
      .read = [](tool::Session&, const std::string& uri) -> Result<tool::ResourceBody> {
        if (uri != "x:1") return refuse("resource.not_found", {{"uri", uri}});
        return tool::ResourceBody{"text/plain", "one"};
      }});
  const Json first = parse_json(client.ask(modern("1", "resources/list"))).value();
  EXPECT_EQ(first.at("result").at("resources").get_array().size(), 200U);
  EXPECT_EQ(as_text(first.at("result").at("nextCursor")), "200");
  const Json second =
      parse_json(client.ask(modern("1", "resources/list", R"("cursor":"200")"))).value();
  EXPECT_EQ(second.at("result").at("resources").get_array().size(), 50U);
  EXPECT_EQ(find(second.at("result"), "nextCursor"), nullptr);
  client.begin("2025-11-25");
  EXPECT_EQ(client.ask(legacy("1", "resources/read", R"("uri":"x:1")")),
            R"({"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"x:1","text":"one",)"
            R"("mimeType":"text/plain"}]}})");
  EXPECT_EQ(outcome(client.ask(legacy("1", "resources/read", R"("uri":"x:2")"))),
            "1 -32002 resource.not_found");
}

}  // namespace
}  // namespace helve::mcp::testing
