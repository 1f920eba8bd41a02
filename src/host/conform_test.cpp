#include "host/conform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "host/testing/folders.h"

namespace helve::host {
namespace {

using testing::Folders;

struct Case {
  const char *name, *expect, *actual;
  bool free_order, want;
};

constexpr Case kCases[] = {
    {"equal", R"({"words": ["a"]})", R"({"words": ["a"]})", false, true},
    {"more than expected", R"({"exit": 0})", R"({"exit": 0, "result": "x"})", false, true},
    {"less than expected", R"({"exit": 0, "result": "x"})", R"({"exit": 0})", false, false},
    {"null for absent", R"({"stderr": null})", R"({})", false, true},
    {"an error for an answer", R"({"words": []})", R"({"error": "nul_byte"})", false, false},
    {"no stdin in three ways", R"({"calls": [{"argv": ["a"], "stdin": null}, {"argv": ["b"]}]})",
     R"({"calls": [{"argv": ["a"], "stdin": ""}, {"argv": ["b"], "stdin": null}]})", false, true},
    {"another order of a sequence", R"({"calls": [{"argv": ["a"]}, {"argv": ["b"]}]})",
     R"({"calls": [{"argv": ["b"]}, {"argv": ["a"]}]})", false, false},
    {"another order of siblings", R"({"calls": [{"argv": ["a"]}, {"argv": ["b"]}]})",
     R"({"calls": [{"argv": ["b"]}, {"argv": ["a"]}]})", true, true},
    {"one call twice for two calls", R"({"calls": [{"argv": ["a"]}, {"argv": ["b"]}]})",
     R"({"calls": [{"argv": ["a"]}, {"argv": ["a"]}]})", true, false},
    {"another stdin", R"({"calls": [{"argv": ["a"], "stdin": "x"}]})",
     R"({"calls": [{"argv": ["a"], "stdin": "y"}]})", true, false},
};

TEST(Conform, ComparesWhatIsExpected) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(meets(*parse_json(c.expect), *parse_json(c.actual), c.free_order), c.want);
  }
}

const Answerers kEcho = {{"echo/1", [](const Json& test_case) -> Result<Json> {
                            const Json* say = find(test_case, "say");
                            if (say == nullptr)
                              return refuse("conform.case_invalid", {{"reason", ""}});
                            return Json(JsonObject{{"said", *say}});
                          }}};

struct Printed {
  int code;
  std::string out, err;
};

Printed conform_text(const std::string& vectors) {
  const Folders folders;
  folders.write("home/project/v.json", vectors);
  std::ostringstream out, err;
  Console console{.out = out, .err = err};
  const int code = conform("v.json", console, folders.around, kEcho);
  return {code, out.str(), err.str()};
}

TEST(Conform, SaysPassOrFailAndATally) {
  const Printed result = conform_text(
      R"({"format": "echo/1", "cases": [{"id": "a", "say": 1, "expect": {"said": 1}},
          {"id": "b", "say": 2, "expect": {"said": 3}}]})");
  EXPECT_EQ(result.code, kRefused);
  EXPECT_EQ(result.out,
            "{\"id\":\"a\",\"actual\":{\"said\":1},\"result\":\"pass\"}\n"
            "{\"id\":\"b\",\"actual\":{\"said\":2},\"result\":\"fail\",\"expect\":{\"said\":3}}\n"
            "1 passed, 1 failed\n");
}

TEST(Conform, AnswersWithoutExpectations) {
  const Printed result =
      conform_text(R"({"format": "echo/1", "cases": [{"id": "a", "say": "x"}]})");
  EXPECT_EQ(result.code, kDone);
  EXPECT_EQ(result.out, "{\"id\":\"a\",\"actual\":{\"said\":\"x\"}}\n");
}

TEST(Conform, ACaseWithoutAnswerIsAFailure) {
  const Printed result = conform_text(R"({"format": "echo/1", "cases": [{"id": "a"}]})");
  EXPECT_EQ(result.code, kRefused);
  EXPECT_THAT(result.out, ::testing::HasSubstr("conform.case_invalid"));
}

TEST(Conform, RefusesFilesThatAreNoVectors) {
  EXPECT_THAT(conform_text("{}").err, ::testing::HasSubstr("is not a vector file"));
  EXPECT_THAT(conform_text(R"({"format": "x/1", "cases": []})").err,
              ::testing::HasSubstr("known formats: echo/1"));
}

}  // namespace
}  // namespace helve::host
