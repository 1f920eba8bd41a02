// Prompts, completion, replacing the owner's tools, deferred tools, named calls, sessions.
#include <gtest/gtest.h>

#include "tool/job_tools.h"
#include "tool/search_tools.h"
#include "tool/sessions.h"
#include "tool/testing/run.h"

namespace helve::tool {
namespace {

using namespace std::chrono_literals;
using testing::constant;
using testing::rule_of;
using testing::World;

template <typename Row>
std::string names(const std::vector<std::shared_ptr<const Row>>& rows) {
  std::string all;
  for (const auto& row : rows) all += row->name + " ";
  return all;
}

Prompt review() {
  Prompt prompt{
      .name = "review",
      .description = "Reviews.",
      .arguments = {{.name = "focus", .required = true, .values = {"bugs", "style", "both"}},
                    {.name = "branch"}}};
  prompt.get = [](Call& call) -> boost::asio::awaitable<Result<PromptAnswer>> {
    co_return PromptAnswer{.messages = {Json(call.arguments)}};
  };
  return prompt;
}

struct PromptCase {
  const char *name, *prompt, *arguments, *got;  // got: the messages, or the rule
};
const PromptCase kPrompts[] = {
    {"all arguments", "review", R"({"focus": "bugs", "branch": "a"})",
     R"([{"focus":"bugs","branch":"a"}])"},
    {"the required ones", "review", R"({"focus": "x"})", R"([{"focus":"x"}])"},
    {"one that is missing", "review", "{}", "prompt.argument"},
    {"one that it does not have", "review", R"({"focus": "x", "size": "1"})", "prompt.argument"},
    {"one that is no text", "review", R"({"focus": 1})", "prompt.argument"},
    {"no object", "review", "[]", "prompt.argument"},
    {"no such prompt", "deploy", "{}", "prompt.unknown"},
    {"the output of a tool", "made", "{}",
     R"([{"role":"user","content":{"type":"text","text":"made by a tool"}}])"},
    {"a tool that fails", "failing", "{}", "prompt.failed"},
};

TEST(Prompts, AreMadeFromTheirArguments) {
  World world;
  ASSERT_TRUE(world.registry.add(review()));
  const auto from = [](const char* name, Answer answer) {
    return Prompt{.name = name,
                  .source = std::make_shared<Tool>(constant(name, std::move(answer)))};
  };
  ASSERT_TRUE(world.registry.add(from("made", {.text = "made by a tool"})));
  ASSERT_TRUE(world.registry.add(from("failing", {.is_error = true, .text = "no"})));
  for (const PromptCase& c : kPrompts) {
    SCOPED_TRACE(c.name);
    const auto got = world.run(world.registry.get_prompt(
        world.session, {.tool = c.prompt, .arguments = parse_json(c.arguments).value()}));
    EXPECT_EQ(got ? write_json(got->messages) : got.error().rule, c.got);
  }
}

// R6: nobody hears of a prompt while it is made, and it cannot go on as a job.
TEST(Prompts, R6OfACommandThatTakesLongAreRefusedInTime) {
  for (const bool told : {false, true}) {
    SCOPED_TRACE(told);
    World world;
    world.registry.prompt_wait = 20ms;
    const auto gate = testing::closed_gate(world);
    Tool source = testing::patient("slow", gate);
    source.job = false;
    Prompt prompt{.name = "slow", .source = std::make_shared<const Tool>(std::move(source))};
    ASSERT_TRUE(world.registry.add(std::move(prompt)));
    CallRequest request{.tool = "slow"};
    if (told) request.progress = [](const Progress&) {};
    const auto got = world.start(world.registry.get_prompt(world.session, std::move(request)));
    world.context.restart();
    world.context.run_for(200ms);
    EXPECT_EQ(got->has_value(), !told);
    if (!told) EXPECT_EQ((*got)->error().rule, "prompt.too_long");
    gate->cancel();
    world.poll();
    if (told) EXPECT_TRUE((*got)->has_value());
  }
}

TEST(Completion, OffersWhatBeginsLikeThat) {
  World world;
  ASSERT_TRUE(world.registry.add(review()));
  world.registry.add(ResourceProvider{
      .prefix = "helve://runs/",
      .templates = {{.uri_template = "helve://runs/{id}", .values = [](Session&, std::string_view) {
                       std::vector<std::string> many;
                       for (int i = 0; i < 150; ++i) many.push_back("run_" + std::to_string(i));
                       return many;
                     }}}});
  const auto values = [&](std::string_view argument, std::string_view value) {
    std::string all;
    for (const auto& each : world.registry.complete_prompt("review", argument, value)->values) {
      all += each + " ";
    }
    return all;
  };
  EXPECT_EQ(values("focus", "b"), "bugs both ");
  EXPECT_EQ(values("focus", "x"), "");
  EXPECT_EQ(values("branch", ""), "");
  EXPECT_EQ(world.registry.complete_prompt("no", "a", "").error().rule, "prompt.unknown");
  const auto runs =
      world.registry.complete_resource(*world.session, "helve://runs/{id}", "id", "run");
  EXPECT_EQ(runs->values.size(), 100U);
  EXPECT_EQ(runs->total, 150U);
  EXPECT_FALSE(world.registry.complete_resource(*world.session, "helve://x", "id", ""));
}

TEST(Registry, ReplacesTheOwnersToolsAllOrNone) {
  World world;
  ASSERT_TRUE(world.registry.add(constant("ours", Answer{})));
  ASSERT_TRUE(
      world.registry.set_owned({constant("a", Answer{}), constant("b", Answer{})}, {review()}));
  EXPECT_EQ(names(world.registry.tools()), "a b ours ");
  EXPECT_EQ(world.registry.set_owned({constant("c", Answer{}), constant("ours", Answer{})}, {})
                .error()
                .rule,
            "tool.name_taken");
  EXPECT_EQ(names(world.registry.tools()), "a b ours ") << "nothing of a refused set is taken";
  EXPECT_EQ(names(world.registry.prompts()), "review ");
  ASSERT_TRUE(world.registry.set_owned({constant("b", Answer{.text = "new"})}, {}));
  EXPECT_EQ(names(world.registry.tools()), "b ours ");
  EXPECT_EQ(names(world.registry.prompts()), "");
  EXPECT_EQ(world.call("b").text, "new");
}

TEST(Registry, ACallKeepsTheToolThatItBeganWith) {
  World world;
  const auto gate = testing::closed_gate(world);
  ASSERT_TRUE(world.registry.set_owned({testing::patient("build", gate)}, {}));
  const auto answer = world.start(world.registry.call(world.session, {.tool = "build"}));
  ASSERT_TRUE(world.registry.set_owned({}, {}));
  EXPECT_EQ(rule_of(world.call("build")), "tool.unknown");
  gate->cancel();
  world.poll();
  EXPECT_EQ((*answer)->text, "the end");
}

TEST(Registry, TellsWhichListOfTheOwnersReadsDifferently) {
  Registry registry;
  std::string told;
  registry.on_change([&](const Change& change) {
    told += change.what == Change::What::kTools ? "tools " : "prompts ";
  });
  const auto set = [&](const char* description, std::vector<Prompt> prompts) {
    Tool tool = constant("a", Answer{});
    tool.description = description;
    EXPECT_TRUE(registry.set_owned({std::move(tool)}, std::move(prompts)));
    return std::exchange(told, "");
  };
  EXPECT_EQ(set("one", {}), "tools ");
  EXPECT_EQ(set("one", {}), "");
  EXPECT_EQ(set("two", {review()}), "tools prompts ");
  EXPECT_EQ(set("two", {}), "prompts ");
}

TEST(Registry, TellsListenersOfChanges) {
  Registry registry;
  std::string told;
  registry.on_change([&](const Change& change) { told += change.uri; });
  registry.changed({Change::What::kResource, "helve://x"});
  EXPECT_EQ(told, "helve://x");
}

World& with_deferred(World& world) {
  Tool hidden = constant("db_dump", Answer{.text = "dumped"});
  hidden.description = "Writes the database into a file.";
  hidden.deferred = true;
  HELVE_CHECK(world.registry.add(std::move(hidden)));
  HELVE_CHECK(world.registry.add(constant("listed", Answer{.text = "listed"})));
  HELVE_CHECK(add_job_tools(world.registry));
  HELVE_CHECK(add_search_tools(world.registry));
  return world;
}

TEST(ToolSearch, AnswersWithFullDefinitionsOfDeferredTools) {
  World world;
  const Answer found = with_deferred(world).call("tool_search", JsonObject{{"query", "database"}});
  EXPECT_NE(found.text.find(R"({"name":"db_dump","description":"Writes)"), std::string::npos);
  EXPECT_NE(found.text.find("inputSchema"), std::string::npos);
  const Answer none = world.call("tool_search", JsonObject{{"query", "zebra"}});
  EXPECT_FALSE(none.is_error) << "CN-99";
  EXPECT_EQ(none.text.find("inputSchema"), std::string::npos) << none.text;
  EXPECT_NE(world.call("tool_search", JsonObject{{"query", "running jobs"}}).text.find("job_list"),
            std::string::npos);
}

struct ToolCallCase {
  const char *name, *arguments, *got;  // got: the text, or the rule
};
const ToolCallCase kToolCalls[] = {
    {"a deferred tool", R"({"name": "db_dump"})", "dumped"},
    {"with arguments", R"({"name": "db_dump", "arguments": {}})", "dumped"},
    {"with arguments as text", R"({"name": "db_dump", "arguments": "{}"})", "dumped"},
    {"a listed tool", R"({"name": "listed"})", "listed"},
    {"no such tool", R"({"name": "nothing"})", "tool.unknown"},
    {"itself", R"({"name": "tool_call", "arguments": {"name": "listed"}})", "tool.call_itself"},
    {"no name", R"({})", "args.invalid"},
};

TEST(ToolCall, RunsTheToolThatIsMeant) {
  World world;
  with_deferred(world);
  for (const ToolCallCase& c : kToolCalls) {
    SCOPED_TRACE(c.name);
    const Answer answer = world.call("tool_call", parse_json(c.arguments).value());
    EXPECT_EQ(answer.is_error ? rule_of(answer) : answer.text, c.got);
  }
}

TEST(ToolCall, IsHeldToThePolicyOfTheToolThatIsMeant) {
  World world;
  with_deferred(world);
  world.registry.set_policy({.layers = {{.tools = {{"db_dump", policy::Verdict::kDeny}}}}});
  EXPECT_EQ(rule_of(world.call("tool_call", JsonObject{{"name", "db_dump"}})), "policy.denied");
}

TEST(ToolCall, CanBeNamedByThePolicyItself) {
  World world;
  with_deferred(world);
  const auto say = [&](policy::Verdict verdict) {
    world.registry.set_policy({.layers = {{.tools = {{"tool_call", verdict}}}}});
    return rule_of(world.call("tool_call", JsonObject{{"name", "db_dump"}}));
  };
  EXPECT_EQ(say(policy::Verdict::kDeny), "policy.denied");
  EXPECT_EQ(say(policy::Verdict::kAsk), "policy.cannot_ask");
  EXPECT_EQ(say(policy::Verdict::kAllow), "");
  EXPECT_EQ(rule_of(world.call("db_dump")), "") << "by its own name it is another call";
}

// Counts how often it really runs.
Tool counting(const std::shared_ptr<int>& runs) {
  Tool tool = testing::mirror("count", parse_json(R"({"type": "object", "properties": {"a":
      {"type": "integer", "description": "x"}}})")
                                           .value());
  tool.run = [runs](Call&) -> boost::asio::awaitable<Result<Answer>> {
    co_return Answer{.text = std::to_string(++*runs)};
  };
  return tool;
}

TEST(Repeats, ANamedCallRunsOnce) {
  World world;
  const auto runs = std::make_shared<int>(0);
  ASSERT_TRUE(world.registry.add(counting(runs)));
  const auto named = [&](const char* key, int a) {
    return world.call({.tool = "count", .arguments = JsonObject{{"a", a}}, .idempotency_key = key});
  };
  EXPECT_EQ(named("k", 1).text, "1");
  EXPECT_EQ(named("k", 1).text, "1") << "the same answer again";
  EXPECT_EQ(named("l", 1).text, "2") << "another name";
  EXPECT_EQ(rule_of(named("k", 2)), "call.key_reused") << "the same name for something else";
  world.session = std::make_shared<Session>();
  EXPECT_EQ(named("k", 1).text, "3") << "another principal";
  EXPECT_EQ(world.call("count").text, "4");
  EXPECT_EQ(world.call("count").text, "5") << "without a name nothing is held together";
}

TEST(Repeats, TheOrderOfArgumentsIsNothingAndNoneAreAnEmptyObject) {
  World world;
  const Json schema = parse_json(R"({"type": "object", "properties": {
      "a": {"type": "integer", "description": "x"}, "b": {"type": "integer", "description": "x"}}})")
                          .value();
  ASSERT_TRUE(world.registry.add(testing::mirror("two", schema)));
  const auto named = [&](const char* key, const char* arguments) {
    return world
        .call({.tool = "two", .arguments = parse_json(arguments).value(), .idempotency_key = key})
        .text;
  };
  EXPECT_EQ(named("k", R"({"a": 1, "b": 2})"), R"({"a":1,"b":2})");
  EXPECT_EQ(named("k", R"({"b": 2, "a": 1})"), R"({"a":1,"b":2})");
  EXPECT_EQ(named("l", "null"), "{}");
  EXPECT_EQ(named("l", "{}"), "{}");
}

TEST(Repeats, WhatWasRefusedBeforeItRanIsNotHeldAgainstItsName) {
  World world;
  const auto runs = std::make_shared<int>(0);
  ASSERT_TRUE(world.registry.add(counting(runs)));
  const auto named = [&] { return world.call({.tool = "count", .idempotency_key = "k"}); };
  world.registry.set_policy({.layers = {{.tools = {{"count", policy::Verdict::kDeny}}}}});
  EXPECT_EQ(rule_of(named()), "policy.denied");
  world.registry.set_policy({});
  EXPECT_EQ(named().text, "1");
  EXPECT_EQ(named().text, "1");
}

TEST(Repeats, NobodyWaitsForACallThatThrew) {
  World world;
  Tool tool = testing::constant("broken", Answer{});
  tool.run = [](Call&) -> boost::asio::awaitable<Result<Answer>> {
    throw std::runtime_error("a library gave up");
    co_return Answer{};
  };
  ASSERT_TRUE(world.registry.add(std::move(tool)));
  const auto named = [&] { return world.call({.tool = "broken", .idempotency_key = "k"}); };
  EXPECT_THROW(named(), std::runtime_error);
  EXPECT_EQ(rule_of(named()), "tool.thrown");
}

TEST(Repeats, WhoComesMeanwhileWaitsForTheSameAnswer) {
  World world;
  const auto gate = testing::closed_gate(world);
  ASSERT_TRUE(world.registry.add(testing::patient("build", gate)));
  const auto begin = [&] {
    return world.start(
        world.registry.call(world.session, {.tool = "build", .idempotency_key = "k"}));
  };
  const auto first = begin();
  const auto second = begin();
  EXPECT_FALSE(second->has_value());
  gate->cancel();
  world.poll();
  EXPECT_EQ((*first)->text, "the end");
  EXPECT_EQ((*second)->text, "the end");
}

TEST(Repeats, AreKeptForADayWithinBounds) {
  Repeats repeats;
  const auto now = Clock::now();
  for (int i = 0; i < 2000; ++i) {
    const std::string key = std::to_string(i);
    ASSERT_EQ(repeats.find(key, now), nullptr);
    repeats.finish(repeats.begin(key, "d", now), Answer{}, true);
  }
  EXPECT_EQ(repeats.find("0", now), nullptr);
  EXPECT_NE(repeats.find("1999", now + 23h), nullptr);
  EXPECT_EQ(repeats.find("1999", now + 25h), nullptr);
}

TEST(Sessions, EndAfterAnHourWithoutACallAndMakeRoom) {
  Sessions sessions({.idle = 1h, .most = 2, .jobs = 3});
  const auto first = *sessions.open(Session::Memory::kOwn);
  EXPECT_EQ(first->jobs().most, 3U);
  const auto second = *sessions.open(Session::Memory::kOwn);
  const auto call = std::make_shared<Cancellation>();
  second->open_call(call);
  const auto third = *sessions.open(Session::Memory::kOwn);
  EXPECT_TRUE(first->ended()) << "the one that did nothing";
  third->open_call(std::make_shared<Cancellation>());
  EXPECT_EQ(sessions.open(Session::Memory::kOwn).error().rule, "session.too_many");
  sessions.expire(Clock::now() + 59min);
  EXPECT_EQ(sessions.count(), 2U);
  const Session::Use use(*third);
  sessions.expire(Clock::now() + 61min);
  EXPECT_TRUE(second->ended());
  EXPECT_TRUE(call->requested());
  EXPECT_FALSE(third->ended()) << "somebody waits for a call of it";
}

TEST(Sessions, EndWithTheHostDetachedJobsToo) {
  Sessions sessions;
  const auto session = *sessions.open(Session::Memory::kOwn);
  const auto detached = std::make_shared<Cancellation>();
  session->open_call(detached, true);
  sessions.close(session, 500ms);
  EXPECT_FALSE(detached->requested());
  sessions.end(500ms);
  EXPECT_TRUE(detached->requested());
  bool idle = false;
  sessions.when_idle([&] { idle = true; });
  EXPECT_FALSE(idle);
  session->close_call(detached);
  EXPECT_TRUE(idle);
}

}  // namespace
}  // namespace helve::tool
