#include <gtest/gtest.h>

#include "base/text.h"
#include "tool/detail/bound.h"
#include "tool/search_tools.h"
#include "tool/testing/run.h"

namespace helve::tool {
namespace {

Json read(std::string_view text) { return parse_json(text).value(); }

using testing::rule_of;
using testing::World;

constexpr std::string_view kInput = R"({"type": "object", "properties": {
  "url": {"type": "string", "description": "x"}, "depth": {"type": "integer", "description": "x"},
  "tags": {"type": "array", "items": {"type": "string"}, "description": "x"},
  "deep": {"type": "boolean", "description": "x"}}, "required": ["url"]})";

struct ArgumentCase {
  const char *name, *sent, *got;  // got: the tool's arguments, or a part of the refusal
};
const ArgumentCase kArguments[] = {
    {"an object as it should be", R"({"url": "a", "depth": 1})", R"({"url":"a","depth":1})"},
    {"an integer as text", R"({"url": "a", "depth": "3"})", R"({"url":"a","depth":3})"},
    {"an array as text", R"({"url": "a", "tags": "[\"b\"]"})", R"({"url":"a","tags":["b"]})"},
    {"a truth value as text", R"({"url": "a", "deep": "true"})", R"({"url":"a","deep":true})"},
    {"a number for a text", R"({"url": 5})", R"({"url":"5"})"},
    {"the whole object as text", R"("{\"url\": \"a\"}")", R"({"url":"a"})"},
    {"no arguments", "null", "url (expected: string): it is missing"},
    {"empty text", R"("")", "url (expected: string): it is missing"},
    {"text that is no integer", R"({"url": "a", "depth": "x"})", "depth (expected: integer): "},
    {"R14 the whole object as text, with half a surrogate pair", R"("{\"url\": \"\\ud800\"}")",
     "half a surrogate pair at line 1, column 10"},
    {"R14 an array as text, with half a surrogate pair", R"({"url": "a", "tags": "[\"\\ud800\"]"})",
     "tags (expected: array)"},
    {"a list", "[1]", "the arguments: an object is expected, not array"},
    {"a number", "7", "the arguments: an object is expected, not integer"},
};

TEST(Call, R9CoercesArgumentsOrNamesFieldTypeAndExample) {
  World world;
  ASSERT_TRUE(world.registry.add(testing::mirror("fetch", read(kInput))));
  for (const ArgumentCase& c : kArguments) {
    SCOPED_TRACE(c.name);
    const Answer answer = world.call("fetch", read(c.sent));
    if (!answer.is_error) {
      EXPECT_EQ(answer.text, c.got);
      continue;
    }
    EXPECT_EQ(rule_of(answer), "args.invalid");
    EXPECT_NE(answer.text.find(c.got), std::string::npos) << answer.text;
    EXPECT_NE(answer.text.find(R"(for example with {"url":)"), std::string::npos) << answer.text;
  }
}

// Whatever a caller makes up comes back bounded, with the rule that it has broken.
TEST(Call, R4RefusalsAreBoundedToo) {
  World world;
  ASSERT_TRUE(world.registry.add(testing::mirror("fetch", read(kInput))));
  ASSERT_TRUE(add_search_tools(world.registry));
  const std::string huge(100'000, '"');
  const struct {
    std::string tool;
    Json arguments;
    const char* rule;
  } cases[] = {
      {huge, nullptr, "tool.unknown"},
      {"tool_call", JsonObject{{"name", huge}}, "tool.unknown"},
      {"tool_call", JsonObject{{"name", 5}, {huge, 1}}, "args.invalid"},
      {"fetch", JsonObject{{"url", "a"}, {"depth", huge}}, "args.invalid"},
      {"tool_call", JsonObject{{"name", "fetch"}, {"arguments", JsonObject{{huge, huge}}}},
       "args.invalid"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.tool.substr(0, 20) + " " + c.rule);
    const Answer answer = world.call(c.tool, c.arguments);
    EXPECT_EQ(rule_of(answer), c.rule);
    EXPECT_LE(encoded_size(answer), world.registry.answer_limit);
    EXPECT_TRUE(answer.text.contains("Next: ") || answer.text.contains("[cut: ")) << answer.text;
  }
}

TEST(Call, AnswersAnUnknownToolAndARefusalAsErrors) {
  SCOPED_TRACE("WS-4 WS-5 WS-10, as decisions, section 4, has them");
  World world;
  ASSERT_TRUE(
      world.registry.add(testing::constant("no", refuse("resource.not_found", {{"uri", "x"}}))));
  EXPECT_EQ(rule_of(world.call("nothing")), "tool.unknown");
  const Answer refused = world.call("no");
  EXPECT_TRUE(refused.is_error);
  EXPECT_EQ(rule_of(refused), "resource.not_found");
  EXPECT_NE(refused.text.find("\nNext: "), std::string::npos);
}

struct PromiseCase {
  const char* name;
  Answer answer;
  const char* rule;
  bool structured;
};

TEST(Call, R5KeepsThePromiseOfTheOutputSchema) {
  const PromiseCase cases[] = {
      {"a conforming success", {.text = "1", .structured = read(R"({"n": 1})")}, "", true},
      {"a success without", {.text = "1"}, "tool.answer_broken", false},
      {"a success that differs",
       {.text = "1", .structured = read(R"({"n": "one"})")},
       "tool.answer_broken",
       false},
      {"an error drops it",
       {.is_error = true, .text = "1", .structured = read(R"({"n": 1})")},
       "",
       false},
  };
  for (const PromiseCase& c : cases) {
    SCOPED_TRACE(c.name);
    World world;
    Tool tool = testing::constant("count", c.answer);
    tool.output = read(R"({"type": "object", "properties": {"n": {"type": "integer"}},
                           "required": ["n"]})");
    ASSERT_TRUE(world.registry.add(std::move(tool)));
    const Answer answer = world.call("count");
    EXPECT_EQ(rule_of(answer), c.rule);
    EXPECT_EQ(answer.structured.has_value(), c.structured);
  }
}

TEST(Call, MirrorsAStructuredPartAsTextWhereThereIsNone) {
  World world;
  ASSERT_TRUE(
      world.registry.add(testing::constant("s", Answer{.structured = read(R"({"a": 1})")})));
  EXPECT_EQ(world.call("s").text, R"({"a":1})");
}

TEST(Call, R14ReplacesWhatIsNotUtf8AndSaysSo) {
  World world;
  ASSERT_TRUE(world.registry.add(testing::constant("raw", Answer{.text = "a\xFF"})));
  const Answer answer = world.call("raw");
  EXPECT_EQ(answer.text, "a\xEF\xBF\xBD");
  EXPECT_TRUE(answer.meta.contains("io.helve/encoding"));
}

TEST(Call, IsWrittenDownWithWhatItWasAbout) {
  SCOPED_TRACE("WS-93");
  testing::World world;
  Tool tool = testing::constant(
      "look", Answer{.text = "seen", .meta = {{"io.helve/data", JsonObject{{"job", "job_1"}}}}});
  tool.subject = [](const JsonObject& arguments) {
    return std::string(as_text(arguments.at("path")));
  };
  ASSERT_TRUE(world.registry.add(std::move(tool)));
  std::vector<CallRecord> records;
  world.registry.on_called([&](const CallRecord& record) { records.push_back(record); });
  world.call("look", JsonObject{{"path", "a.txt"}});
  world.call("nothing", JsonObject{{"secret", "s"}});
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].subject, "a.txt");
  EXPECT_EQ(records[0].outcome, "ok");
  EXPECT_EQ(records[0].job, "job_1");
  EXPECT_EQ(records[0].bytes, 4U);
  EXPECT_EQ(records[0].session, world.session->id());
  EXPECT_EQ(records[1].outcome, "tool.unknown");
  EXPECT_EQ(records[1].subject, "");
}

}  // namespace
}  // namespace helve::tool
