// The vectors of the format, every case, and whole trees as far as they can be judged without
// running anything.
#include "template/conform.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "template/parts.h"
#include "template/template.h"

namespace helve::tmpl {
namespace {

Json read_vectors(const std::string& name) {
  std::ifstream file(std::string(HELVE_SOURCE_DIR) + "/tests/vectors/" + name);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto parsed = parse_json(text);
  EXPECT_TRUE(parsed) << name;
  return parsed ? *std::move(parsed) : Json(nullptr);
}

// Every member that the case expects, in the answer.
void expect_case(std::string_view format, const Json& test_case) {
  SCOPED_TRACE(write_json(test_case));
  const Result<Json> answer = answer_case(format, test_case);
  ASSERT_TRUE(answer);
  for (const auto& [member, want] : find(test_case, "expect")->as_object()) {
    const Json* actual = find(*answer, member);
    ASSERT_NE(actual, nullptr) << write_json(*answer);
    EXPECT_EQ(write_json(*actual), write_json(want));
  }
}

class Vectors : public testing::TestWithParam<const char*> {};

TEST_P(Vectors, HoldForEveryCase) {
  const Json file = read_vectors(GetParam());
  ASSERT_TRUE(file.is_object());
  const std::string format(find_text(file, "format").value());
  for (const Json& test_case : find(file, "cases")->as_array()) expect_case(format, test_case);
}

INSTANTIATE_TEST_SUITE_P(Template, Vectors,
                         testing::Values("command-template-split.json",
                                         "command-template-expand.json",
                                         "repeat-expressions.json"));

// Commands run these; here each of them must expand, or be refused before anything could run.
TEST(ComposeVectors, ExpandOrAreRefusedInPreflight) {
  const Json file = read_vectors("command-template-compose.json");
  ASSERT_TRUE(file.is_object());
  for (const Json& test_case : find(file, "cases")->as_array()) {
    SCOPED_TRACE(write_json(test_case));
    const Json* error = find(*find(test_case, "expect"), "error");
    const Result<Template> compiled = Template::compile(*find(test_case, "template"));
    Result<Plan> plan =
        compiled ? compiled->expand(find(test_case, "values")->as_object(), {.cwd = "/proj"})
                 : Result<Plan>(std::unexpected(compiled.error()));
    if (error == nullptr) {
      EXPECT_TRUE(plan) << plan.error().rule;
    } else {
      ASSERT_FALSE(plan);
      EXPECT_EQ(error_class(plan.error()), as_text(*error));
    }
  }
}

TEST(Conform, GeneratesTextsFromPrefixUnitCountAndSuffix) {
  const Json test_case = JsonObject{
      {"generate", JsonObject{{"prefix", "a"}, {"unit", " b"}, {"count", 3}, {"suffix", " c"}}}};
  const Result<Json> answer = answer_case("ct-split/1", test_case);
  ASSERT_TRUE(answer);
  EXPECT_EQ(write_json(*answer), R"({"words":["a","b","b","b","c"]})");
}

TEST(Conform, RefusesWhatItCannotAnswer) {
  EXPECT_EQ(answer_case("ct-compose/1", JsonObject()).error().rule, "template.unknown_vectors");
  EXPECT_EQ(answer_case("ct-split/1", JsonObject()).error().rule, "template.invalid_case");
  EXPECT_EQ(answer_case("ct-split/1", "text").error().rule, "template.invalid_case");
}

}  // namespace
}  // namespace helve::tmpl
