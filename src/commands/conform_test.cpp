#include "commands/conform.h"

#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "os/files.h"

namespace helve::commands {
namespace {

std::vector<std::string> sorted_calls(const Json& calls) {
  std::vector<std::string> lines;
  for (const Json& call : calls.as_array()) {
    JsonObject plain = call.as_object();
    if (plain.contains("stdin") && plain["stdin"] == "") plain["stdin"] = nullptr;
    lines.push_back(write_json(plain));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Clauses CT-67, CT-68, CT-75 to CT-80, CT-82 to CT-89.
TEST(Conform, FollowsTheCompositionVectors) {
  const auto text = os::read_file(
      std::filesystem::path(HELVE_SOURCE_DIR) / "tests/vectors/command-template-compose.json",
      1 << 24);
  ASSERT_TRUE(text);
  const auto vectors = parse_json(*text);
  ASSERT_TRUE(vectors);
  const JsonArray& cases = vectors->at("cases").as_array();
  EXPECT_GE(cases.size(), 57U);
  for (const Json& c : cases) {
    SCOPED_TRACE(std::string(as_text(c.at("id"))));
    const auto actual = answer_compose_case(c);
    ASSERT_TRUE(actual);
    for (const auto& [key, want] : c.at("expect").as_object()) {
      const Json* got = find(*actual, std::string_view(key));
      ASSERT_NE(got, nullptr) << key;
      if (key == "calls") {
        EXPECT_EQ(sorted_calls(*got), sorted_calls(want));
      } else {
        EXPECT_EQ(write_json(*got), write_json(want)) << key;
      }
    }
  }
}

TEST(Conform, RefusesACaseThatIsNotOfTheFormat) {
  EXPECT_EQ(answer_compose_case(Json(3)).error().rule, "conform.case_invalid");
}

}  // namespace
}  // namespace helve::commands
