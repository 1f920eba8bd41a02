#include "base/jsonc.h"

#include <gtest/gtest.h>

#include "base/texts.h"

namespace helve {
namespace {

struct Case {
  const char *name, *source, *want;
};

constexpr Case kRead[] = {
    {"plain JSON", R"({"a": [1]})", R"({"a":[1]})"},
    {"a comment to the end of the line", "{\"a\": 1 // one\n}", R"({"a":1})"},
    {"a comment between", "{/* x */\"a\": /* y\n */ 1}", R"({"a":1})"},
    {"a comma at the end", "{\"a\": [1, 2,], }", R"({"a":[1,2]})"},
    {"a comma, a comment, the end", "[1, // last\n /* really */ ]", "[1]"},
    {"comment signs in text", R"({"a": "// /* , } ", "b\"//": 1})",
     R"({"a":"// /* , } ","b\"//":1})"},
    {"a byte order mark", "\xEF\xBB\xBF[1]", "[1]"},
    {"a comment as the last thing", "[1] // end", "[1]"},
    {"equal keys in different objects", R"([{"a": 1}, {"a": {"a": 2}}])",
     R"([{"a":1},{"a":{"a":2}}])"},
    {"equal texts in an array", R"({"a": ["x", "x"], "b": "x"})", R"({"a":["x","x"],"b":"x"})"},
};

TEST(Jsonc, ReadsWhatPeopleWrite) {
  for (const Case& c : kRead) {
    SCOPED_TRACE(c.name);
    const auto document = parse_jsonc(c.source);
    ASSERT_TRUE(document) << render_text(document.error());
    EXPECT_EQ(write_json(document->value), c.want);
    EXPECT_EQ(document->text.size(), std::string_view(c.source).size());
  }
}

struct Refused {
  const char *name, *source, *want;  // "rule line:column"
};

constexpr Refused kRefused[] = {
    {"a comma alone", "[,]", "json.invalid 1:2"},
    {"a comma alone in an object", "{ , }", "json.invalid 1:3"},
    {"two commas", "[1,,]", "json.invalid 1:4"},
    {"a comment that stays open", "[1]\n /* x", "json.invalid 2:2"},
    {"a key twice", "{\"a\": 1,\n \"b\": {\"a\": 1}, \"a\": 2}", "json.duplicate_key 2:17"},
    {"a key twice in two spellings", R"({"a": 1, "\u0061": 2})", "json.duplicate_key 1:10"},
    {"a key twice behind an array", R"({"a": ["a", "b"], "a": 2})", "json.duplicate_key 1:19"},
    {"a large integer behind a comment", "/* x */ 99999999999999999999",
     "json.integer_too_large 1:9"},
};

std::string describe(const Refusal& refusal) {
  std::string line, column;
  for (const auto& [name, value] : refusal.args) {
    if (name == "line") line = value;
    if (name == "column") column = value;
  }
  return refusal.rule + " " + line + ":" + column;
}

TEST(Jsonc, RefusesWithThePlaceInTheSource) {
  for (const Refused& c : kRefused) {
    SCOPED_TRACE(c.name);
    const auto document = parse_jsonc(c.source);
    ASSERT_FALSE(document) << write_json(document->value);
    EXPECT_EQ(describe(document.error()), c.want);
  }
}

struct Located {
  const char* pointer;
  Position want;
};

TEST(Jsonc, KnowsWhereMembersStand) {
  const auto document = parse_jsonc(
      "// settings\n"
      "{\n"
      "  \"tools\": {\"a/b\": {\"x\": 1}},\n"
      "  \"list\": [1, {\"y\": [],\n"
      "    \"z~\": 2}]\n"
      "}\n");
  ASSERT_TRUE(document);
  const Located cases[] = {{"", {2, 1}},
                           {"/tools", {3, 3}},
                           {"/tools/a~1b", {3, 13}},
                           {"/tools/a~1b/x", {3, 21}},
                           {"/list/0", {4, 12}},
                           {"/list/1", {4, 15}},
                           {"/list/1/z~0", {5, 5}},
                           {"/list/1/none", {4, 15}},
                           {"/none/deeper", {2, 1}},
                           {"/list/0/deeper", {4, 12}}};
  for (const Located& c : cases) {
    const Position at = document->locate(c.pointer);
    EXPECT_EQ(at, c.want) << c.pointer << " " << at.line << ":" << at.column;
  }
}

}  // namespace
}  // namespace helve
