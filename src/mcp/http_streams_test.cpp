// Answers that take time: streams, clients that go away and come back, what is left out.
#include <gtest/gtest.h>

#include "mcp/testing/web.h"

namespace helve::mcp {
namespace {

using namespace testing;
using namespace std::chrono_literals;

// Says what it is told to, until it is told to answer.
struct Script {
  tool::Call* call = nullptr;
  boost::asio::steady_timer* answered = nullptr;  // while the call waits
  bool cancelled = false;
  Duration grace{};

  tool::Tool tool() {
    tool::Tool made = answering("script", {});
    made.run = [this](tool::Call& running) -> boost::asio::awaitable<Result<tool::Answer>> {
      call = &running;
      boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor,
                                      Clock::time_point::max());
      answered = &timer;
      running.cancellation->on_request([this](Duration given) {
        cancelled = true;
        grace = given;
        answered->cancel();
      });
      boost::system::error_code error;
      co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, error));
      call = nullptr;
      answered = nullptr;
      co_return tool::Answer{.text = "done"};
    };
    return made;
  }
  void say(const std::string& text) { call->progress({.done = 1, .message = text}); }
  void answer(Web& web) {
    answered->cancel();
    web.turn();
  }
};

const std::string kCall = R"("name":"script","arguments":{})";
const std::string kCallWithProgress =
    R"("name":"script","arguments":{},"_meta":{"progressToken":"t"})";

// The modern envelope with a token for progress.
std::shared_ptr<Seen> ask_with_progress(Web& web, const std::string& headers = "") {
  std::string body = modern("1", "tools/call", kCall);
  body.replace(body.find("\"_meta\":{"), 9, "\"_meta\":{\"progressToken\":\"t\",");
  return web.post(
      std::string(kModernHeaders) + "Mcp-Method: tools/call\nMcp-Name: script\n" + headers, body);
}

TEST(HttpStreams, BeginWithWhatComesBeforeTheAnswer) {
  Script script;
  Web web({script.tool()});
  const auto asked = ask_with_progress(web);
  EXPECT_EQ(describe(*asked), "waits");
  script.say("half");
  EXPECT_EQ(describe(*asked), "200 stream: notifications/progress");
  script.answer(web);
  EXPECT_EQ(describe(*asked), "200 stream: notifications/progress, 1 ok, end");
}

TEST(HttpStreams, DoNotBeginForAnAnswerAlone) {
  Script script;
  Web web({script.tool()});
  const auto asked = web.ask("1", "tools/call", kCall);
  script.answer(web);
  EXPECT_EQ(describe(*asked), "200 1 ok");
}

TEST(HttpStreams, AreNotForcedOnAClient) {
  Script script;
  Web web({script.tool()}, {.keep_alive = 30ms});
  const auto asked = ask_with_progress(web, "Accept: application/json");
  script.say("half");
  web.run_for(60ms);
  EXPECT_EQ(describe(*asked), "waits");
  script.answer(web);
  EXPECT_EQ(describe(*asked), "200 1 ok");
}

TEST(HttpStreams, BeginByThemselvesAndAreNeverSilent) {
  Script script;
  Web web({script.tool()}, {.keep_alive = 30ms});
  const auto asked = web.ask("1", "tools/call", kCall);
  for (int i = 0; i < 100 && events_of(*asked).size() < 2; ++i) web.run_for(20ms);
  EXPECT_TRUE(describe(*asked).starts_with("200 stream: :, :")) << describe(*asked);
  script.answer(web);
  EXPECT_TRUE(describe(*asked).ends_with("1 ok, end")) << describe(*asked);
}

TEST(HttpStreams, LeaveOutProgressThatIsNotTaken) {
  Script script;
  Web web({script.tool()}, {.congested_bytes = 100});
  const auto asked = ask_with_progress(web);
  script.say("one");
  asked->waiting = 101;
  script.say("two");
  asked->waiting = 0;
  script.say("three");
  script.answer(web);
  EXPECT_EQ(describe(*asked),
            "200 stream: notifications/progress, notifications/progress, 1 ok, end");
  EXPECT_FALSE(asked->body.contains("two"));
}

TEST(HttpStreams, R10ThatAreClosedCancelAModernCall) {
  Script script;
  Web web({script.tool()});
  const auto asked = web.ask("1", "tools/call", kCall);
  const auto other = web.ask("1", "tools/list");  // the same id in a scope of its own
  EXPECT_EQ(describe(*other), "200 1 ok");
  web.leave(*asked);
  EXPECT_TRUE(script.cancelled);
  EXPECT_EQ(script.grace, Duration(1500ms));
  EXPECT_EQ(script.call, nullptr);
}

TEST(HttpStreams, R10ThatAreClosedDoNotCancelACallOfAHandshakeRevision) {
  for (const char* revision : {"2025-06-18", "2025-11-25"}) {
    SCOPED_TRACE(revision);
    Script script;
    Web web({script.tool()});
    web.begin(revision);
    const auto asked = web.in_session(legacy("1", "tools/call", kCall));
    web.leave(*asked);
    EXPECT_FALSE(script.cancelled);
    script.answer(web);
    EXPECT_EQ(describe(*asked), "200 1 ok");  // for who has closed the sending half only
    EXPECT_EQ(describe(*web.in_session(legacy("1", "ping"))), "200 1 ok");
  }
}

TEST(HttpStreams, EndWithoutAWordWhenTheirCallIsCancelled) {
  Script script;
  Web web({script.tool()});
  web.begin();
  const auto plain = web.in_session(legacy("1", "tools/call", kCall));
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  EXPECT_EQ(describe(*web.in_session(cancel)), "202");
  web.turn();
  EXPECT_TRUE(script.cancelled);
  EXPECT_EQ(describe(*plain), "202");

  const auto streamed = web.in_session(legacy("1", "tools/call", kCallWithProgress));
  script.say("half");
  web.in_session(cancel);
  web.turn();
  EXPECT_EQ(describe(*streamed), "200 stream: first, notifications/progress, end");
  const std::string last = events_of(*streamed).back().id;
  EXPECT_EQ(describe(*web.send("GET", "Mcp-Session-Id: $S\nLast-Event-ID: " + last)),
            "400 null -32600 mcp.event_unknown");
}

TEST(HttpStreams, R11AreAnsweredWhile64SlowCallsRun) {
  Web web({patient()});
  web.begin();
  std::vector<std::shared_ptr<Seen>> slow;
  for (int i = 0; i < 64; ++i) {
    const std::string id = std::to_string(100 + i);
    const std::string call = R"("name":"wait","arguments":{})";
    slow.push_back(i % 2 == 0 ? web.ask(id, "tools/call", call)
                              : web.in_session(legacy(id, "tools/call", call)));
  }
  EXPECT_EQ(describe(*web.in_session(legacy("1", "ping"))), "200 1 ok");
  EXPECT_EQ(describe(*web.ask("1", "tools/list")), "200 1 ok");
  EXPECT_EQ(describe(*web.begin()), "200 0 ok");
  for (const auto& call : slow) EXPECT_EQ(describe(*call), "waits");
  web.face->end();
  web.turn();
}

TEST(HttpStreams, OfSubscriptionsTellChangesAndEndInOrder) {
  Web web;
  const auto listening =
      web.ask("7", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})");
  EXPECT_EQ(describe(*listening), "200 stream: notifications/subscriptions/acknowledged");
  web.registry.changed({tool::Change::What::kTools, ""});
  web.turn();
  EXPECT_EQ(describe(*listening),
            "200 stream: notifications/subscriptions/acknowledged, "
            "notifications/tools/list_changed");
  web.face->end();
  EXPECT_TRUE(describe(*listening).ends_with("7 ok, end")) << describe(*listening);
  EXPECT_EQ(describe(*web.ask("1", "tools/list")), "503 null -32600 mcp.server_ends");
}

TEST(HttpStreams, OfSubscriptionsAreBoundedAndFreedWithTheirClients) {
  Web web;
  web.server.most_subscriptions = 2;
  const auto listen = [&] {
    return web.ask("7", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})");
  };
  const auto first = listen();
  const auto second = listen();
  EXPECT_EQ(describe(*listen()), "503 7 -32603 mcp.too_many_subscriptions");
  web.leave(*first);
  EXPECT_TRUE(describe(*listen()).starts_with("200 stream"));
}

TEST(HttpStreams, OfASessionTellChanges) {
  Web web;
  web.begin("2025-06-18");
  const auto stream = web.send("GET", "Mcp-Session-Id: $S");
  EXPECT_EQ(describe(*stream), "200 stream: ");
  web.registry.changed({tool::Change::What::kTools, ""});
  web.turn();
  EXPECT_EQ(describe(*stream), "200 stream: notifications/tools/list_changed");
  EXPECT_EQ(describe(*web.send("DELETE", "Mcp-Session-Id: $S")), "204");
  EXPECT_TRUE(stream->finished);
}

TEST(HttpStreams, OfASessionAreOneAtATime) {
  Web web;
  web.begin("2025-06-18");
  const std::string headers = "Mcp-Session-Id: $S\n";
  EXPECT_EQ(describe(*web.send("GET", headers + "Accept: application/json")),
            "406 null -32600 mcp.stream_refused");
  const auto first = web.send("GET", headers);
  EXPECT_EQ(describe(*web.send("GET", headers)), "409 null -32600 mcp.stream_taken");
  web.leave(*first);
  const auto second = web.send("GET", headers);
  EXPECT_EQ(describe(*second), "200 stream: ");
  // One that does not take what is sent has most likely gone.
  second->waiting = 10;
  EXPECT_EQ(describe(*web.send("GET", headers)), "200 stream: ");
  EXPECT_TRUE(second->finished);
}

TEST(HttpStreams, AreNotOpenToOtherSessions) {
  Web web;
  web.begin();
  const auto first = web.send("GET", "Mcp-Session-Id: $S");
  const std::string id = events_of(*first).at(0).id;
  web.begin();
  for (const std::string& last : {id, std::string("nonsense"), id + "0", std::string("-0-1")}) {
    SCOPED_TRACE(last);
    EXPECT_EQ(describe(*web.send("GET", "Mcp-Session-Id: $S\nLast-Event-ID: " + last)),
              "400 null -32600 mcp.event_unknown");
  }
}

TEST(HttpStreams, GoOnForAClientThatComesBack) {
  Script script;
  Web web({script.tool()});
  web.begin("2025-11-25");
  const auto asked = web.in_session(legacy("1", "tools/call", kCallWithProgress));
  script.say("one");
  EXPECT_EQ(describe(*asked), "200 stream: first, notifications/progress");
  EXPECT_TRUE(asked->body.contains("retry: ")) << asked->body;
  web.leave(*asked);
  script.say("two");

  const std::string last = events_of(*asked).back().id;
  const auto back = web.send("GET", "Mcp-Session-Id: $S\nLast-Event-ID: " + last);
  EXPECT_EQ(describe(*back), "200 stream: notifications/progress");
  EXPECT_TRUE(back->body.contains("two") && !back->body.contains("one"));
  script.answer(web);
  EXPECT_EQ(describe(*back), "200 stream: notifications/progress, 1 ok, end");

  // Once more, from the beginning.
  const std::string first = events_of(*asked).front().id;
  EXPECT_EQ(describe(*web.send("GET", "Mcp-Session-Id: $S\nLast-Event-ID: " + first)),
            "200 stream: notifications/progress, notifications/progress, 1 ok, end");
}

TEST(HttpStreams, CanBeLetGoOfBeforeTheAnswer) {
  Script script;
  Web web({script.tool()});
  web.begin("2025-11-25");
  const auto asked = web.in_session(legacy("1", "tools/call", kCall));
  web.face->let_go();
  EXPECT_EQ(describe(*asked), "200 stream: first, end");
  script.answer(web);
  const std::string last = events_of(*asked).back().id;
  EXPECT_EQ(describe(*web.send("GET", "Mcp-Session-Id: $S\nLast-Event-ID: " + last)),
            "200 stream: 1 ok, end");
}

TEST(HttpStreams, OfOlderRevisionsHaveNoIds) {
  Script script;
  Web web({script.tool()});
  web.begin("2025-06-18");
  const auto asked = web.in_session(legacy("1", "tools/call", kCallWithProgress));
  web.face->let_go();
  EXPECT_EQ(describe(*asked), "waits");
  script.say("one");
  EXPECT_EQ(describe(*asked), "200 stream: notifications/progress");
  EXPECT_FALSE(asked->body.contains("id: "));
  script.answer(web);
}

tool::Tool asking() {
  tool::Tool made = answering("ask", {});
  made.run = [](tool::Call& call) -> boost::asio::awaitable<Result<tool::Answer>> {
    if (const Json* name = find(call.round.inputs, "name")) {
      co_return tool::Answer{.text = write_json(*name)};
    }
    tool::Answer answer;
    answer.needs = tool::Needs{
        .requests = {{"name", "elicitation/create",
                      JsonObject{{"message", "Who?"},
                                 {"requestedSchema",
                                  JsonObject{{"type", "object"}, {"properties", JsonObject()}}}}}}};
    co_return answer;
  };
  return made;
}

TEST(HttpStreams, CarryQuestionsToTheClient) {
  Web web({asking()});
  web.begin("2025-06-18", R"({"elicitation":{}})");
  const auto asked = web.in_session(legacy("1", "tools/call", R"("name":"ask","arguments":{})"));
  EXPECT_EQ(describe(*asked), "200 stream: elicitation/create");
  const Json question = parse_json(events_of(*asked).at(0).data).value();
  const std::string response =
      write_json(JsonObject{{"jsonrpc", "2.0"},
                            {"id", question.at("id")},
                            {"result", JsonObject{{"action", "decline"}}}});
  EXPECT_EQ(describe(*web.in_session(response)), "202");
  web.turn();
  EXPECT_EQ(describe(*asked), "200 stream: elicitation/create, 1 ok, end");
  EXPECT_TRUE(asked->body.contains("decline"));
}

TEST(HttpStreams, ThatAreNotThereFailQuestionsAtOnce) {
  for (const char* accept : {"Accept: application/json\n", "Accept: application/*\n"}) {
    Web web({asking()});
    web.begin("2025-06-18", R"({"elicitation":{}})");
    const auto asked =
        web.in_session(legacy("1", "tools/call", R"("name":"ask","arguments":{})"), accept);
    EXPECT_EQ(describe(*asked), "200 1 ok");
    EXPECT_TRUE(asked->body.contains("cancel")) << asked->body;  // as if the person had closed it
  }
}

TEST(HttpStreams, EndWithTheFace) {
  Script script;
  Web web({script.tool()});
  web.begin();
  const auto plain = web.in_session(legacy("1", "tools/call", kCall));
  const auto stream = web.send("GET", "Mcp-Session-Id: $S");
  web.face->end();
  web.turn();
  EXPECT_TRUE(script.cancelled);
  EXPECT_EQ(script.grace, Duration(500ms));
  EXPECT_EQ(describe(*plain), "503 null -32600 mcp.server_ends");
  EXPECT_TRUE(stream->finished);
  EXPECT_EQ(web.sessions.count(), 0U);
}

TEST(HttpStreams, OutliveTheFaceWithoutHarm) {
  Script script;
  Web web({script.tool()});
  const auto asked = web.ask("1", "tools/call", kCall);
  web.face.reset();
  EXPECT_TRUE(script.cancelled);
  web.turn();
  EXPECT_EQ(describe(*asked), "503 null -32600 mcp.server_ends");
}

}  // namespace
}  // namespace helve::mcp
