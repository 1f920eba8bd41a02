#include "tool/registry.h"

#include <gtest/gtest.h>

#include "base/texts.h"
#include "tool/testing/run.h"

namespace helve::tool {
namespace {

Json read(std::string_view text) { return parse_json(text).value(); }

std::string refused(const Result<void>& result) { return result ? "" : result.error().rule; }

struct NameCase {
  const char *name, *tool, *refused;
};
const NameCase kNames[] = {
    {"letters, digits, dash and underscore", "Read_file-2", ""},
    {"48 characters", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", ""},
    {"49 characters", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "tool.name_invalid"},
    {"no character", "", "tool.name_invalid"},
    {"a dot", "a.b", "tool.name_invalid"},
    {"a slash", "a/b", "tool.name_invalid"},
    {"a space", "a b", "tool.name_invalid"},
    {"a letter of another script", "\xC3\xA4", "tool.name_invalid"},
};

TEST(Registry, R8TakesOnlyNamesThatEveryHostTakes) {
  for (const NameCase& c : kNames) {
    SCOPED_TRACE(c.name);
    Registry registry;
    EXPECT_EQ(refused(registry.add(testing::constant(c.tool, Answer{}))), c.refused);
    EXPECT_EQ(registry.tools().size(), c.refused[0] == '\0' ? 1U : 0U);
  }
}

TEST(Registry, RefusesASecondToolOfTheSameName) {
  Registry registry;
  ASSERT_TRUE(registry.add(testing::constant("a", Answer{})));
  EXPECT_EQ(refused(registry.add(testing::constant("a", Answer{}))), "tool.name_taken");
}

struct SchemaCase {
  const char *name, *schema, *refused, *pointer;
};
const SchemaCase kSchemas[] = {
    {"a plain object", R"({"type": "object", "properties": {"a": {"type": "string",
      "description": "x"}}})",
     "", ""},
    {"a combinator at the root", R"({"type": "object", "properties": {}, "anyOf": [{}]})",
     "tool.schema_not_portable", "/anyOf"},
    {"a list of types", R"({"type": "object", "properties": {"a": {"type": ["string", "null"],
      "description": "x"}}})",
     "tool.schema_not_portable", "/properties/a/type"},
    {"an array without items", R"({"type": "object", "properties": {"a": {"type": "array",
      "description": "x"}}})",
     "tool.schema_not_portable", "/properties/a"},
    {"no schema at all", R"({"type": 3})", "tool.schema_invalid", "/type"},
};

TEST(Registry, R7RefusesASchemaThatPoisonsTheListWithPathAndFix) {
  for (const SchemaCase& c : kSchemas) {
    SCOPED_TRACE(c.name);
    Registry registry;
    const auto added = registry.add(testing::mirror("t", read(c.schema)));
    EXPECT_EQ(refused(added), c.refused);
    if (added) continue;
    const Rendered rendered = render(added.error());
    EXPECT_NE(rendered.message.find("\"" + std::string(c.pointer) + "\""), std::string::npos)
        << rendered.message;
    EXPECT_EQ(rendered.message.find('{'), std::string::npos) << rendered.message;
    EXPECT_FALSE(rendered.next.empty());
    EXPECT_NE(rendered.next, "{fix}");
  }
}

TEST(Session, CancelsItsOpenCallsWithTheGraceOfItsEnd) {
  Session session;
  const auto first = std::make_shared<Cancellation>();
  const auto second = std::make_shared<Cancellation>();
  const auto detached = std::make_shared<Cancellation>();
  session.open_call(first);
  session.open_call(second);
  session.open_call(detached, true);
  session.close_call(second);
  EXPECT_EQ(session.open_calls(), 2U);
  session.end(std::chrono::milliseconds(500));
  EXPECT_TRUE(first->requested());
  EXPECT_EQ(first->grace(), std::chrono::milliseconds(500));
  EXPECT_FALSE(second->requested());
  EXPECT_FALSE(detached->requested()) << "it outlives the session";
  const auto late = std::make_shared<Cancellation>();
  session.open_call(late);
  EXPECT_TRUE(late->requested()) << "nothing begins in a session that has ended";
  session.end(std::chrono::milliseconds(500), true);
  EXPECT_TRUE(detached->requested()) << "but not the host";
}

TEST(Cancellation, TellsItsListenerOnceAndALateOneAtOnce) {
  Cancellation cancellation;
  int told = 0;
  cancellation.on_request([&](Duration) { ++told; });
  cancellation.request(std::chrono::seconds(1));
  cancellation.request(std::chrono::seconds(2));
  EXPECT_EQ(told, 1);
  EXPECT_EQ(cancellation.grace(), std::chrono::seconds(1));
  cancellation.on_request(
      [&](Duration grace) { told += grace == std::chrono::seconds(1) ? 10 : 0; });
  EXPECT_EQ(told, 11);
}

TEST(Cancellation, LetsAReactionUnhookItself) {
  Cancellation cancellation;
  cancellation.on_request([&](Duration) { cancellation.on_request({}); });
  cancellation.request(Duration(0));
  EXPECT_TRUE(cancellation.requested());
}

}  // namespace
}  // namespace helve::tool
