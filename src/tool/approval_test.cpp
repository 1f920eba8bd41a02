// The policy's questions (decisions, section 7; spec/mcp.md, section 6.3).
#include <gtest/gtest.h>

#include <thread>

#include "tool/testing/run.h"

namespace helve::tool {
namespace {

using namespace std::chrono_literals;
using testing::rule_of;
using testing::World;

Tool deploy() {
  Tool tool = testing::constant("deploy", Answer{.text = "deployed"});
  tool.labels = {"external_side_effect"};
  tool.digest = "digest of deploy";
  tool.preview = [](const JsonObject&) { return Result<std::string>("git push 'to here'"); };
  return tool;
}

// A client whose person is asked about `deploy`.
struct Asked : World {
  explicit Asked(Session::Memory memory = Session::Memory::kOwn) {
    session = std::make_shared<Session>(memory);
    HELVE_CHECK(registry.add(deploy()));
    registry.set_policy({.layers = {{.profile = policy::Profile::kCareful}}});
  }
  Answer ask(Asks can_ask = {.form = true}) { return call({.tool = "deploy", .can_ask = can_ask}); }
  // What the person says, a while after the question.
  Answer say(std::string_view result, Duration after = 250ms) {
    const Answer question = ask();
    if (!question.needs) return question;
    std::this_thread::sleep_for(after);
    return call(
        {.tool = "deploy",
         .round = {.inputs = {{question.needs->requests[0].key, parse_json(result).value()}},
                   .state = question.needs->state},
         .can_ask = {.form = true}});
  }
};

TEST(Approval, AsksWithTheExactCommandAndTheReason) {
  Asked world;
  const Answer question = world.ask();
  ASSERT_TRUE(question.needs);
  ASSERT_EQ(question.needs->requests.size(), 1U);
  const InputRequest& request = question.needs->requests[0];
  EXPECT_EQ(request.method, "elicitation/create");
  const std::string message(as_text(request.params.at("message")));
  EXPECT_NE(message.find("git push 'to here'"), std::string::npos) << message;
  EXPECT_NE(message.find("deploy"), std::string::npos) << message;
  EXPECT_TRUE(find(request.params.at("requestedSchema"), "properties"));
}

struct OutcomeCase {
  const char *name, *said;
  Duration after;
  const char *rule, *text;
};
const OutcomeCase kOutcomes[] = {
    {"accept", R"({"action": "accept", "content": {}})", 250ms, "", "deployed"},
    {"accept at once is a yes too", R"({"action": "accept"})", 0ms, "", "deployed"},
    {"decline", R"({"action": "decline"})", 250ms, "policy.declined", ""},
    {"cancel", R"({"action": "cancel"})", 250ms, "policy.cancelled", ""},
    {"a decline faster than a person", R"({"action": "decline"})", 0ms, "policy.unavailable", ""},
    {"something else is no yes", R"({"action": "yes"})", 250ms, "policy.cancelled", ""},
    {"nothing is no yes", "null", 250ms, "policy.cancelled", ""},
};

TEST(Approval, HasFourOutcomes) {
  for (const OutcomeCase& c : kOutcomes) {
    SCOPED_TRACE(c.name);
    Asked world;
    const Answer answer = world.say(c.said, c.after);
    EXPECT_EQ(rule_of(answer), c.rule);
    if (*c.rule == '\0') EXPECT_EQ(answer.text, c.text);
  }
}

TEST(Approval, AClientThatAlwaysDeclinesIsNobodysNo) {
  Asked world;
  EXPECT_EQ(rule_of(world.say(R"({"action": "decline"})")), "policy.declined");
  EXPECT_EQ(rule_of(world.say(R"({"action": "decline"})")), "policy.declined");
  EXPECT_EQ(rule_of(world.say(R"({"action": "decline"})")), "policy.unavailable");
  EXPECT_EQ(world.say(R"({"action": "accept"})").text, "deployed");
  EXPECT_EQ(rule_of(world.say(R"({"action": "decline"})")), "policy.declined");
}

TEST(Approval, TheNoesOfManyClientsTellNothingOfOne) {
  Asked world(Session::Memory::kShared);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(rule_of(world.say(R"({"action": "decline"})")), "policy.declined");
  }
}

TEST(Approval, IsRememberedForTheSessionAndForThisToolAsItIs) {
  Asked world;
  EXPECT_EQ(world.say(R"({"action": "accept", "content": {"remember": true}})").text, "deployed");
  EXPECT_EQ(world.ask().text, "deployed") << "not asked again";

  Tool changed = deploy();
  changed.digest = "another";
  World& same = world;
  Registry other;
  ASSERT_TRUE(other.add(std::move(changed)));
  other.set_policy({.layers = {{.profile = policy::Profile::kCareful}}});
  EXPECT_TRUE(
      same.run(other.call(same.session, {.tool = "deploy", .can_ask = {.form = true}})).needs)
      << "the template has changed";

  world.session = std::make_shared<Session>();
  EXPECT_TRUE(world.ask().needs) << "another session";
}

// Between the question and the answer the owner's file may change: a yes is for what was shown.
TEST(Approval, OfAToolThatWasReplacedMeanwhileIsAskedAnew) {
  Asked world;
  Tool before = testing::constant("apply", Answer{.text = "applied"});
  before.labels = {"shell"};
  before.digest = "before";
  ASSERT_TRUE(world.registry.set_owned({before}, {}));
  const auto answer_to = [&](const Answer& question) {
    return world.call(
        {.tool = "apply",
         .round = {.inputs = {{question.needs->requests[0].key, JsonObject{{"action", "accept"}}}},
                   .state = question.needs->state},
         .can_ask = {.form = true}});
  };
  const Answer question = world.call({.tool = "apply", .can_ask = {.form = true}});
  ASSERT_TRUE(question.needs);
  Tool after = before;
  after.digest = "after";
  after.preview = [](const JsonObject&) { return Result<std::string>("rm -rf /"); };
  ASSERT_TRUE(world.registry.set_owned({after}, {}));
  const Answer again = answer_to(question);
  ASSERT_TRUE(again.needs) << again.text;
  EXPECT_TRUE(as_text(again.needs->requests[0].params.at("message")).contains("rm -rf /"));
  EXPECT_EQ(answer_to(again).text, "applied");
}

TEST(Approval, ShowsEveryStepOfALongCommandWithBothEnds) {
  Asked world;
  Tool tool = deploy();
  tool.name = "long";
  tool.preview = [](const JsonObject&) -> Result<std::string> {
    return "echo " + std::string(20'000, 'x') + "END\nrm -rf here";
  };
  ASSERT_TRUE(world.registry.add(std::move(tool)));
  const Answer question = world.call({.tool = "long", .can_ask = {.form = true}});
  ASSERT_TRUE(question.needs);
  const std::string_view message = as_text(question.needs->requests[0].params.at("message"));
  EXPECT_LT(message.size(), 3000U);
  for (const char* part : {"echo xxx", "more bytes", "xxxEND\nrm -rf here"}) {
    EXPECT_TRUE(message.contains(part)) << part;
  }
}

TEST(Approval, WithoutAMemoryNothingIsRemembered) {
  Asked world(Session::Memory::kShared);
  const Answer question = world.ask();
  ASSERT_TRUE(question.needs);
  EXPECT_TRUE(question.needs->requests[0]
                  .params.at("requestedSchema")
                  .at("properties")
                  .get_object()
                  .empty());
  EXPECT_EQ(world.say(R"({"action": "accept", "content": {"remember": true}})").text, "deployed");
  EXPECT_TRUE(world.ask().needs);
}

TEST(Approval, AnAnswerWithoutAQuestionIsNoYes) {
  Asked world;
  EXPECT_TRUE(
      world
          .call({.tool = "deploy",
                 .round = {.inputs = {{"helve_approval", JsonObject{{"action", "accept"}}}}},
                 .can_ask = {.form = true}})
          .needs);
}

TEST(Approval, RefusesAndSaysHowToAllowItWhereNobodyCanBeAsked) {
  Asked world;
  const Answer refused = world.ask({});
  EXPECT_EQ(rule_of(refused), "policy.cannot_ask");
  EXPECT_NE(refused.text.find(R"("allow")"), std::string::npos) << refused.text;
}

TEST(Approval, ADenialIsNotAskedAbout) {
  Asked world;
  world.registry.set_policy({.layers = {{.tools = {{"deploy", policy::Verdict::kDeny}}}}});
  EXPECT_EQ(rule_of(world.ask()), "policy.denied");
}

TEST(Approval, BadArgumentsAreRefusedBeforeAnybodyIsAsked) {
  Asked world;
  EXPECT_EQ(
      rule_of(world.call({.tool = "deploy", .arguments = Json(7), .can_ask = {.form = true}})),
      "args.invalid");
}

// A tool that asks for itself, after the person allowed it.
TEST(Approval, LetsTheToolAskInItsTurn) {
  Asked world;
  Tool tool = deploy();
  tool.name = "asking";
  tool.run = [](Call& call) -> boost::asio::awaitable<Result<Answer>> {
    if (call.round.state.is_null()) {
      co_return Answer{.needs = Needs{.requests = {{"name", "elicitation/create", {}}},
                                      .state = "the tool's own"}};
    }
    co_return Answer{.text = std::string(as_text(call.round.state)) + " " +
                             write_json(call.round.inputs)};
  };
  ASSERT_TRUE(world.registry.add(std::move(tool)));
  const auto next = [&](const Answer& answer, JsonObject inputs) {
    return world.call({.tool = "asking",
                       .round = {.inputs = std::move(inputs), .state = answer.needs->state},
                       .can_ask = {.form = true}});
  };
  const Answer first = world.call({.tool = "asking", .can_ask = {.form = true}});
  const Answer second = next(first, {{"helve_approval", JsonObject{{"action", "accept"}}}});
  ASSERT_TRUE(second.needs);
  EXPECT_EQ(second.needs->requests[0].key, "name");
  EXPECT_EQ(next(second, {{"name", "Ada"}}).text, R"(the tool's own {"name":"Ada"})");
}

}  // namespace
}  // namespace helve::tool
