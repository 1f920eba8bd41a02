// Tools and prompts that ask before they answer: input_required for modern clients, requests of
// ours for those that shook hands (spec/mcp.md, 1.2 and 1.3).
#include "mcp/detail/rounds.h"

#include <gtest/gtest.h>

#include "mcp/testing/client.h"

namespace helve::mcp::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kAll =
    R"({"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}})";
constexpr std::string_view kCall = R"("name":"ask","arguments":{"n":1})";

tool::InputRequest question(std::string key, std::string method = "elicitation/create") {
  return {std::move(key), std::move(method), {{"message", "?"}}};
}

// Asks for "one", then for "two", and answers with both and with what came along.
Result<tool::Answer> two_rounds(const tool::Round& round) {
  JsonObject known = round.state.is_object() ? round.state.get_object() : JsonObject();
  for (const auto& [key, input] : round.inputs) known[key] = input;
  tool::Answer answer{.text = write_json(known)};
  for (const char* key : {"one", "two"}) {
    if (known.contains(key)) continue;
    answer.needs = tool::Needs{{question(key)}, known};
    break;
  }
  return answer;
}

JsonObject with_n() {
  return {{"type", "object"},
          {"properties", JsonObject{{"n", JsonObject{{"type", "integer"}, {"description", "x"}}}}}};
}

// Asks for all of `methods` at once, again and again if it gets none of it.
tool::Tool asking(std::vector<std::string> methods) {
  return {.name = "ask",
          .description = "Asks.",
          .input = with_n(),
          .run = [methods](tool::Call& call) -> boost::asio::awaitable<Result<tool::Answer>> {
            tool::Answer answer{.text = write_json(call.round.inputs)};
            if (call.round.inputs.empty()) {
              answer.needs.emplace();
              for (const auto& method : methods) {
                answer.needs->requests.push_back(question(method, method));
              }
            }
            co_return answer;
          }};
}

tool::Tool in_two_rounds() {
  return {.name = "ask",
          .description = "Asks twice.",
          .input = with_n(),
          .run = [](tool::Call& call) -> boost::asio::awaitable<Result<tool::Answer>> {
            co_return two_rounds(call.round);
          }};
}

tool::Prompt asking_prompt() {
  return {.name = "ask",
          .description = "Asks.",
          .get = [](tool::Call& call) -> boost::asio::awaitable<Result<tool::PromptAnswer>> {
            auto answer = two_rounds(call.round);
            co_return tool::PromptAnswer{.messages = {JsonObject{{"text", answer->text}}},
                                         .needs = std::move(answer->needs)};
          }};
}

Json result_of(const std::string& answer) { return parse_json(answer).value().at("result"); }

// The call of the next round: what the last one asked for, under each key `input`.
std::string next_round(const Json& asked, std::string_view params, std::string_view input) {
  std::string out(params);
  out += R"(,"inputResponses":{)";
  for (const auto& request : asked.at("inputRequests").get_object()) {
    if (!out.ends_with('{')) out += ',';
    out += "\"" + std::string(request.key()) + "\":" + std::string(input);
  }
  return out + R"(},"requestState":)" + write_json(asked.at("requestState"));
}

TEST(ModernRounds, AToolAsksUntilItKnowsEnough) {
  Client client({in_two_rounds()});
  const Json first = result_of(client.ask(capable(kAll, "1", "tools/call", kCall)));
  EXPECT_EQ(as_text(first.at("resultType")), "input_required");
  EXPECT_EQ(write_json(first.at("inputRequests")),
            R"({"one":{"method":"elicitation/create","params":{"message":"?"}}})");
  EXPECT_EQ(find(first, "content"), nullptr);
  const Json second = result_of(client.ask(
      capable(kAll, "2", "tools/call", next_round(first, kCall, R"({"action":"accept"})"))));
  EXPECT_NE(find(second.at("inputRequests"), "two"), nullptr);
  EXPECT_NE(first.at("requestState"), second.at("requestState"));
  const Json third = result_of(client.ask(
      capable(kAll, "3", "tools/call", next_round(second, kCall, R"({"action":"decline"})"))));
  EXPECT_EQ(as_text(third.at("resultType")), "complete");
  EXPECT_EQ(as_text(third.at("content").at(0).at("text")),
            R"({"one":{"action":"accept"},"two":{"action":"decline"}})");
}

TEST(ModernRounds, APromptAsksLikeATool) {
  Client client;
  ASSERT_TRUE(client.registry.add(asking_prompt()));
  const std::string_view params = R"("name":"ask")";
  Json asked = result_of(client.ask(capable(kAll, "1", "prompts/get", params)));
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(as_text(asked.at("resultType")), "input_required");
    asked =
        result_of(client.ask(capable(kAll, "1", "prompts/get", next_round(asked, params, "{}"))));
  }
  EXPECT_EQ(write_json(asked.at("messages")), R"([{"text":"{\"one\":{},\"two\":{}}"}])");
}

TEST(ModernRounds, AnswersWithoutAStateAndWithExtraKeysReachTheTool) {
  Client client({asking({"elicitation/create"})});
  const std::string answer = client.ask(capable(
      kAll, "1", "tools/call", R"("name":"ask","inputResponses":{"other":{"action":"accept"}})"));
  EXPECT_EQ(as_text(result_of(answer).at("content").at(0).at("text")),
            R"({"other":{"action":"accept"}})");
}

struct StateCase {
  const char* name;
  std::function<std::string(const Json& asked, Client& client)> next;
  const char* outcome;
};

std::string old_state(Client& client, Duration age) {
  const StateBinding binding{client.session->principal(), "tools/call", "ask",
                             parse_json(R"({"n":1})").value()};
  const auto at = WallClock::now() - std::chrono::duration_cast<WallClock::duration>(age);
  return R"(,"requestState":")" +
         client.server.seal().seal(binding, {{"state", nullptr}}, at).value() + "\"";
}

const StateCase kStates[] = {
    {"as it was given", [](const Json& asked, Client&) { return next_round(asked, kCall, "{}"); },
     "7 ok"},
    {"the arguments in another spelling",
     [](const Json& asked, Client&) {
       return next_round(asked, R"("arguments":{"n": 1},"name":"ask")", "{}");
     },
     "7 ok"},
    {"changed",
     [](const Json& asked, Client&) {
       const std::string next = next_round(asked, kCall, "{}");
       return next.substr(0, next.size() - 1) + "-TAMPERED\"";
     },
     "7 -32602 state.forged"},
    {"for other arguments",
     [](const Json& asked, Client&) {
       return next_round(asked, R"("name":"ask","arguments":{"n":2})", "{}");
     },
     "7 -32602 state.forged"},
    {"for another tool",
     [](const Json& asked, Client&) {
       return next_round(asked, R"("name":"echo","arguments":{"n":1})", "{}");
     },
     "7 -32602 state.forged"},
    {"of another caller",
     [](const Json& asked, Client& client) {
       client.peer =
           client.server.connect(client.context.get_executor(), std::make_shared<tool::Session>());
       return next_round(asked, kCall, "{}");
     },
     "7 -32602 state.forged"},
    {"a second time",
     [](const Json& asked, Client& client) {
       client.send(capable(kAll, "6", "tools/call", next_round(asked, kCall, "{}")));
       return next_round(asked, kCall, "{}");
     },
     "7 -32602 state.used"},
    {"too late",
     [](const Json&, Client& client) { return std::string(kCall) + old_state(client, 11min); },
     "7 -32602 state.expired"},
    {"just in time",
     [](const Json&, Client& client) { return std::string(kCall) + old_state(client, 9min); },
     "7 ok"},
};

TEST(ModernRounds, AStateIsGoodForTheSameRequestOnceAndNotForLong) {
  for (const StateCase& c : kStates) {
    SCOPED_TRACE(c.name);
    Client client({in_two_rounds(), echo()});
    const Json asked = result_of(client.ask(capable(kAll, "1", "tools/call", kCall)));
    const std::string next = c.next(asked, client);
    EXPECT_EQ(outcome(client.ask(capable(kAll, "7", "tools/call", next))), c.outcome);
  }
}

TEST(ModernRounds, OnlyWhatTheRequestDeclaresIsAskedFor) {
  Client client({asking({"elicitation/create", "sampling/createMessage"})});
  const Json answer =
      parse_json(client.ask(capable(R"({"elicitation":{}})", "7", "tools/call", kCall))).value();
  EXPECT_EQ(write_json(answer.at("error").at("code")), "-32021");
  EXPECT_EQ(client.recorder->codes.back(), -32021) << "for the HTTP status";
  EXPECT_EQ(write_json(answer.at("error").at("data").at("requiredCapabilities")),
            R"({"sampling":{}})");
}

std::string response(std::string_view id, std::string_view members) {
  return R"({"jsonrpc":"2.0","id":")" + std::string(id) + "\"," + std::string(members) + "}";
}

TEST(LegacyRounds, TheClientIsAskedDuringTheCall) {
  Client client({in_two_rounds()});
  client.begin("2025-11-25", std::string(kAll));
  client.send(legacy("1", "tools/call", kCall));
  EXPECT_TRUE(client.recorder->answers.empty());
  ASSERT_EQ(client.recorder->notes.size(), 1U);
  EXPECT_EQ(client.recorder->notes[0],
            R"({"jsonrpc":"2.0","id":"helve-1","method":"elicitation/create",)"
            R"("params":{"message":"?"}})");
  client.send(response("helve-9", R"("result":{"action":"accept"})"));
  client.send(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept"}})");
  EXPECT_EQ(client.recorder->notes.size(), 1U) << "a response to nothing is nothing";
  client.send(response("helve-1", R"("result":{"action":"accept"})"));
  ASSERT_EQ(client.recorder->notes.size(), 2U);
  client.send(response("helve-1", R"("result":{"action":"decline"})"));
  EXPECT_TRUE(client.recorder->answers.empty()) << "a late response is nothing";
  client.send(response("helve-2", R"("result":{"action":"decline"})"));
  ASSERT_EQ(client.recorder->answers.size(), 1U);
  EXPECT_EQ(client.recorder->answers[0],
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":)"
            R"("{\"one\":{\"action\":\"accept\"},\"two\":{\"action\":\"decline\"}}"}]}})");
  EXPECT_TRUE(client.peer->idle());
}

TEST(LegacyRounds, APromptIsARunningRequestToo) {
  Client client;
  ASSERT_TRUE(client.registry.add(asking_prompt()));
  client.begin("2025-06-18", std::string(kAll));
  client.send(legacy("1", "prompts/get", R"("name":"ask")"));
  EXPECT_EQ(outcome(client.ask(legacy("2", "ping"))), "2 ok");
  client.send(response("helve-1", R"("result":{})"));
  client.recorder->answers.clear();
  client.send(response("helve-2", R"("result":{})"));
  EXPECT_EQ(join(client.recorder->answers, "\n"),
            R"({"jsonrpc":"2.0","id":1,"result":{"messages":[{"text":)"
            R"("{\"one\":{},\"two\":{}}"}]}})");
}

TEST(LegacyRounds, SeveralQuestionsComeOneAfterTheOther) {
  Client client({asking({"elicitation/create", "sampling/createMessage", "roots/list"})});
  client.begin("2025-11-25", std::string(kAll));
  client.send(legacy("1", "tools/call", kCall));
  for (size_t asked = 1; asked <= 3; ++asked) {
    ASSERT_EQ(client.recorder->notes.size(), asked);
    client.send(response("helve-" + std::to_string(asked), R"("result":{"r":1})"));
  }
  EXPECT_EQ(as_text(result_of(client.recorder->answers.at(0)).at("content").at(0).at("text")),
            R"({"elicitation/create":{"r":1},"sampling/createMessage":{"r":1},)"
            R"("roots/list":{"r":1}})");
}

struct EndCase {
  const char *name, *revision, *capabilities, *method, *response;
  const char* text;  // that the answer begins with
  bool is_error;
};
constexpr EndCase kEnds[] = {
    {"an error in place of a form counts as closing it", "2025-11-25", R"({"elicitation":{}})",
     "elicitation/create", R"("error":{"code":-1,"message":"no"})",
     R"({"elicitation/create":{"action":"cancel"}})", false},
    {"an error in place of a model's answer ends the call", "2025-11-25", R"({"sampling":{}})",
     "sampling/createMessage", R"("error":{"code":-1,"message":"denied"})",
     "the client answered sampling/createMessage with an error: denied\nNext: ", true},
    {"a result of the wrong kind is an error", "2025-11-25", R"({"roots":{}})", "roots/list",
     R"("result":[])", "the client answered roots/list with an error: ", true},
    {"a client that cannot be asked", "2025-11-25", "{}", "elicitation/create", nullptr,
     "this needs something that the client does not declare: elicitation.form\nNext: ", true},
    {"a revision without elicitation", "2025-03-26", R"({"elicitation":{}})", "elicitation/create",
     nullptr,
     "this needs something that the client does not declare: elicitation.form\nNext: ", true},
};

TEST(LegacyRounds, EveryCallFindsItsEnd) {
  for (const EndCase& c : kEnds) {
    SCOPED_TRACE(c.name);
    Client client({asking({c.method})});
    client.begin(c.revision, c.capabilities);
    client.send(legacy("1", "tools/call", kCall));
    if (c.response != nullptr) client.send(response("helve-1", c.response));
    ASSERT_EQ(client.recorder->answers.size(), 1U);
    const Json result = result_of(client.recorder->answers[0]);
    EXPECT_TRUE(as_text(result.at("content").at(0).at("text")).starts_with(c.text))
        << write_json(result);
    EXPECT_EQ(find(result, "isError") != nullptr, c.is_error);
  }
}

TEST(LegacyRounds, APromptThatCannotAskIsAnError) {
  Client client;
  ASSERT_TRUE(client.registry.add(asking_prompt()));
  client.begin("2025-11-25");
  EXPECT_EQ(outcome(client.ask(legacy("1", "prompts/get", R"("name":"ask")"))),
            "1 -32603 mcp.client_cannot");
}

TEST(LegacyRounds, AToolThatNeverKnowsEnoughIsStopped) {
  tool::Tool curious = asking({});
  curious.run = [](tool::Call&) -> boost::asio::awaitable<Result<tool::Answer>> {
    co_return tool::Answer{.needs = tool::Needs{{question("k")}}};
  };
  Client client({curious});
  client.begin("2025-11-25", std::string(kAll));
  client.send(legacy("1", "tools/call", kCall));
  for (size_t round = 1; client.recorder->answers.empty() && round < 100; ++round) {
    client.send(response("helve-" + std::to_string(round), R"("result":{})"));
  }
  EXPECT_EQ(client.recorder->notes.size(), kMostRounds);
  EXPECT_NE(join(client.recorder->answers, "").find("mcp.too_many_rounds"), std::string::npos);
}

TEST(LegacyRounds, R10ACancelledCallTakesItsQuestionBack) {
  Client client({asking({"elicitation/create"})});
  client.begin("2025-11-25", std::string(kAll));
  client.send(legacy("1", "tools/call", kCall));
  client.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  ASSERT_EQ(client.recorder->notes.size(), 2U);
  EXPECT_EQ(client.recorder->notes[1], R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
                                       R"("params":{"requestId":"helve-1"}})");
  client.send(response("helve-1", R"("result":{"action":"accept"})"));
  EXPECT_TRUE(client.recorder->answers.empty());
}

TEST(LegacyRounds, R2TheEndOfTheClientEndsItsQuestions) {
  Client client({asking({"elicitation/create"})});
  client.begin("2025-11-25", std::string(kAll));
  client.send(legacy("1", "tools/call", kCall));
  client.peer->end(0ms);
  client.context.restart();
  client.context.poll();
  EXPECT_EQ(client.recorder->notes.size(), 1U);
  EXPECT_TRUE(client.recorder->answers.empty());
  EXPECT_EQ(client.recorder.use_count(), 1) << "nothing waits any more";
}

}  // namespace
}  // namespace helve::mcp::testing
