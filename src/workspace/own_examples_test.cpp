// What a refusal shows as an example can be called (R9).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tool/job_tools.h"
#include "tool/search_tools.h"
#include "workspace/testing/desk.h"
#include "workspace/variables.h"

namespace helve::workspace {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

Settings with_shell() {
  Settings settings;
  settings.bash.shell = "/bin/bash";
  settings.bash.variables = command_variables({{"PATH", "/usr/bin:/bin"}}, {}, "false");
  return settings;
}

// The object behind the first "{" of what was said.
Json example_in(const std::string& said) {
  const std::size_t from = said.find('{');
  for (std::size_t to = said.find('}', from); to != std::string::npos;
       to = said.find('}', to + 1)) {
    auto read = parse_json(said.substr(from, to + 1 - from));
    if (read) return *std::move(read);
  }
  return nullptr;
}

TEST(OwnTools, R9TheExampleOfARefusalIsTaken) {
  testing::Desk desk(with_shell());
  HELVE_CHECK(desk.registry.add(bash_tool(desk.workspace)));
  HELVE_CHECK(desk.registry.add(read_tool(desk.workspace)));
  HELVE_CHECK(tool::add_bash_job_tools(desk.registry));
  HELVE_CHECK(tool::add_search_tools(desk.registry));
  EXPECT_GE(desk.registry.tools().size(), 8U);
  for (const auto& tool : desk.registry.tools()) {
    SCOPED_TRACE(tool->name);
    const auto refused = desk.call(tool->name, JsonObject{{"there is no such argument", 1}});
    ASSERT_EQ(testing::rule_of(refused), "args.invalid") << refused.text;
    const Json example = example_in(refused.text.substr(refused.text.find("\nNext: ")));
    ASSERT_TRUE(example.is_object()) << refused.text;
    // It may find nothing, but it is understood.
    const std::string rule = testing::rule_of(desk.call(tool->name, example));
    EXPECT_THAT(rule, AnyOf("", "job.unknown", "file.not_found", "tool.unknown"))
        << write_json(example);
  }
}

TEST(OwnTools, WS88OneEditIsToldHowToBeMade) {
  testing::Desk desk;
  desk.put("f", "text");
  const auto refused = desk.call(
      "edit", *parse_json(R"({"path": "f", "edits": [{"old": "text", "new": "other"}]})"));
  EXPECT_EQ(testing::rule_of(refused), "edit.too_few");
  EXPECT_THAT(refused.text, HasSubstr("pass its `old` and `new` directly"));
  EXPECT_EQ(desk.bytes("f"), "text");
}

}  // namespace
}  // namespace helve::workspace
