#include "schema/schema.h"

#include <gtest/gtest.h>

#include "base/texts.h"
#include "schema/testing/read.h"

namespace helve::schema {
namespace {

using testing::read;

struct Case {
  const char *name, *schema, *valid, *invalid;  // the instances are lists
};

// What 2020-12 has and draft 7 has not; the shared part is the test suite's (suite_test.cpp).
constexpr Case kCases[] = {
    {"prefixItems by position, items for the rest",
     R"({"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "null"}})",
     R"([[], ["a"], ["a", 1], ["a", 1, null], "no array"])", R"([[1], ["a", "b"], ["a", 1, 2]])"},
    {"minContains and maxContains",
     R"({"contains": {"const": 1}, "minContains": 2, "maxContains": 3})",
     R"([[1, 1], [1, 2, 1, 1.0]])", R"([[], [1], [1, 1, 1, 1]])"},
    {"minContains 0 makes contains optional", R"({"contains": {"const": 1}, "minContains": 0})",
     R"([[], [2]])", "[]"},
    {"dependentRequired and dependentSchemas",
     R"({"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}})",
     R"([{}, {"b": 1}, {"a": 1, "b": 1}, {"c": 1, "d": 1}])", R"([{"a": 1}, {"c": 1}])"},
    {"$ref has neighbours",
     R"({"$defs": {"a": {"type": "integer"}}, "$ref": "#/$defs/a", "minimum": 3})", "[3]",
     R"([2, "x", 3.5])"},
    {"unevaluatedProperties sees through allOf, if and $ref",
     R"({"allOf": [{"properties": {"a": true}}], "if": {"required": ["b"]},
         "then": {"properties": {"b": true}}, "$ref": "#/$defs/c",
         "$defs": {"c": {"properties": {"c": true}}}, "unevaluatedProperties": false})",
     R"([{}, {"a": 1, "b": 1, "c": 1}])", R"([{"d": 1}, {"a": 1, "d": 1}])"},
    {"unevaluatedProperties forgets what failed",
     R"({"anyOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]},
                   {"properties": {"b": {"const": 1}}, "required": ["b"]}],
         "unevaluatedProperties": false})",
     R"([{"a": 1}, {"b": 1}, {"a": 1, "b": 1}])", R"([{"a": 1, "b": 2}, {"a": 2, "b": 1}])"},
    {"unevaluatedProperties forgets what stands under not",
     R"({"not": {"not": {"properties": {"a": true}}}, "unevaluatedProperties": false})", "[{}]",
     R"([{"a": 1}])"},
    {"unevaluatedItems after prefixItems and contains",
     R"({"prefixItems": [true], "contains": {"type": "string"}, "unevaluatedItems": false})",
     R"([[1, "a"], ["a", "b"]])", R"([[1, "a", 2], [1]])"},
    {"a cousin's properties are not evaluated",
     R"({"allOf": [{"properties": {"a": true}}, {"unevaluatedProperties": false}]})", "[{}]",
     R"([{"a": 1}])"},
    {"$anchor and $id lead to their schemas",
     R"({"$id": "https://example.org/base", "properties": {"a": {"$ref": "#here"},
         "b": {"$ref": "inner"}, "c": {"$ref": "https://example.org/inner#deep"}},
         "$defs": {"x": {"$anchor": "here", "type": "integer"},
                   "y": {"$id": "inner", "type": "string",
                         "$defs": {"z": {"$anchor": "deep", "type": "null"}}}}})",
     R"([{"a": 1, "b": "x", "c": null}])", R"([{"a": "x"}, {"b": 1}, {"c": 1}])"},
    {"a pointer may lead outside the known keywords",
     R"({"$ref": "#/components/a~1b", "components": {"a/b": {"type": "integer"}}})", "[1]",
     R"(["x"])"},
    {"$dynamicRef goes to the outermost anchor",
     R"({"$id": "https://example.org/strings", "$ref": "list",
         "$defs": {"mine": {"$dynamicAnchor": "items", "type": "string"},
                   "list": {"$id": "list", "type": "array", "items": {"$dynamicRef": "#items"},
                            "$defs": {"any": {"$dynamicAnchor": "items"}}}}})",
     R"([["a", "b"]])", R"([["a", 1]])"},
    {"$dynamicRef to a plain anchor is a $ref",
     R"({"$id": "https://example.org/strings", "$ref": "list",
         "$defs": {"mine": {"$dynamicAnchor": "items", "type": "string"},
                   "list": {"$id": "list", "type": "array", "items": {"$dynamicRef": "#items"},
                            "$defs": {"any": {"$anchor": "items"}}}}})",
     R"([["a", 1]])", "[]"},
    {"a tree that refers to itself",
     R"({"type": "object", "required": ["v"], "properties": {"v": {"type": "integer"},
         "next": {"$ref": "#"}}, "additionalProperties": false})",
     R"([{"v": 1, "next": {"v": 2, "next": {"v": 3}}}])",
     R"([{"v": 1, "next": {"v": 2, "x": 3}}])"},
    {"64-bit integers compare exactly",
     R"({"maximum": 9007199254740993, "minimum": -9223372036854775808})",
     "[9007199254740993, 9007199254740992.0, -9223372036854775808]",
     "[9007199254740994, 18446744073709551615, -1e19]"},
    {"multipleOf is exact in decimals", R"({"multipleOf": 0.01})", "[0.07, 1.15, 4.35, 1e10, 0]",
     "[0.075, 0.001, 1e-300]"},
    {"multipleOf is exact for large integers", R"({"multipleOf": 3})",
     "[9223372036854775806, 18446744073709551615, -3, 3.0]", "[9223372036854775807, 1]"},
    {"equality knows neither 1 from 1.0 nor the order of members",
     R"({"enum": [1, {"a": 1, "b": [2]}]})", R"([1.0, {"b": [2.0], "a": 1}])",
     R"([true, {"a": 1}, "1"])"},
    {"uniqueItems by value", R"({"uniqueItems": true})",
     R"([[1, true, "1"], [0, false], [[1], [2]]])",
     R"([[1, 1.0], [{"a": 1, "b": 2}, {"b": 2, "a": 1}], [[], []]])"},
    {"lengths count code points", R"({"minLength": 2, "maxLength": 2})", R"(["😀😀", "éa"])",
     R"(["😀", "abc"])"},
    {"format is an annotation", R"({"format": "email"})", R"(["no address"])", "[]"},
};

TEST(Schema, DecidesAsTheSpecificationSays) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto schema = Schema::compile(read(c.schema));
    ASSERT_TRUE(schema) << render_text(schema.error());
    for (const Json& instance : read(c.valid).as_array()) {
      EXPECT_TRUE(schema->accepts(instance)) << write_json(instance);
      EXPECT_TRUE(schema->validate(instance).empty()) << write_json(instance);
    }
    for (const Json& instance : read(c.invalid).as_array()) {
      EXPECT_FALSE(schema->accepts(instance)) << write_json(instance);
      EXPECT_FALSE(schema->validate(instance).empty()) << write_json(instance);
    }
  }
}

struct Refused {
  const char *name, *schema, *rule, *pointer;
};

constexpr Refused kRefused[] = {
    {"a schema that is no schema", "[]", "schema.invalid", ""},
    {"an unknown type", R"({"properties": {"a": {"type": "int"}}})", "schema.invalid",
     "/properties/a/type"},
    {"an empty allOf", R"({"allOf": []})", "schema.invalid", "/allOf"},
    {"items as a list", R"({"items": [true]})", "schema.invalid", "/items"},
    {"a negative length", R"({"minLength": -1})", "schema.invalid", "/minLength"},
    {"multipleOf zero", R"({"multipleOf": 0})", "schema.invalid", "/multipleOf"},
    {"required as text", R"({"required": "a"})", "schema.invalid", "/required"},
    {"two equal anchors", R"({"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}})",
     "schema.invalid", "/$defs/b/$anchor"},
    {"two equal ids", R"({"$defs": {"a": {"$id": "x"}, "b": {"$id": "x"}}})", "schema.invalid",
     "/$defs/b/$id"},
    {"a reference out of the document", R"({"$ref": "https://example.org/other"})",
     "schema.reference", ""},
    {"a reference into nothing", R"({"items": {"$ref": "#/$defs/none"}})", "schema.reference",
     "/items"},
    {"an unknown anchor", R"({"$ref": "#none"})", "schema.reference", ""},
    {"a pattern that does not close", R"({"pattern": "(a"})", "schema.pattern", "/pattern"},
    {"a pattern with a back reference", R"({"pattern": "(a)\\1"})", "schema.pattern", "/pattern"},
};

std::string argument(const Refusal& refusal, std::string_view name) {
  for (const auto& [key, value] : refusal.args) {
    if (key == name) return value;
  }
  return "absent";
}

TEST(Schema, RefusesWhatIsNoSchemaAndNamesThePlace) {
  for (const Refused& c : kRefused) {
    SCOPED_TRACE(c.name);
    const auto schema = Schema::compile(read(c.schema));
    ASSERT_FALSE(schema);
    EXPECT_EQ(schema.error().rule, c.rule);
    EXPECT_EQ(argument(schema.error(), "pointer"), c.pointer);
    EXPECT_FALSE(render_text(schema.error()).contains('{'));
  }
}

TEST(Schema, RefusesTooDeepSchemas) {
  Json schema = true;
  for (int i = 0; i < 200; ++i) schema = JsonObject{{"not", schema}};
  EXPECT_EQ(Schema::compile(schema).error().rule, "schema.too_deep");
}

struct Reported {
  const char *name, *schema, *instance, *want;  // "instance keyword schema: message", by lines
};

constexpr Reported kReported[] = {
    {"a wrong type", R"({"properties": {"a": {"type": ["integer", "null"]}}})", R"({"a": "x"})",
     R"(/a type /properties/a/type: must be integer | null, but is "x")"},
    {"a missing property and a wrong one",
     R"({"required": ["b"], "properties": {"a": {"minimum": 3}}})", R"({"a": 2})",
     " required /required: the property \"b\" is missing\n"
     "/a minimum /properties/a/minimum: must be at least 3, but is 2"},
    {"a name that is nearly right",
     R"({"properties": {"path": true, "limit": true}, "additionalProperties": false})",
     R"({"pth": 1})",
     "/pth additionalProperties /additionalProperties: there is no property \"pth\"; did you mean "
     "\"path\"?"},
    {"a name that is far off",
     R"({"properties": {"path": true, "limit": true}, "additionalProperties": false})",
     R"({"colour": 1})",
     "/colour additionalProperties /additionalProperties: there is no property \"colour\"; known "
     "are limit, path"},
    {"a false schema", R"({"properties": {"a": false}})", R"({"a": 1})",
     "/a false /properties/a: nothing may stand here"},
    {"no alternative fits, and the closest is told",
     R"({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]})",
     R"(["x"])",
     " anyOf /anyOf: matches none of the 2 alternatives\n"
     "/0 type /anyOf/1/items/type: must be integer, but is \"x\""},
    {"two alternatives fit", R"({"oneOf": [true, {"minimum": 1}]})", "2",
     " oneOf /oneOf: matches more than one of the 2 alternatives"},
    {"an item that repeats", R"({"uniqueItems": true})", "[1, 2, 1]",
     " uniqueItems /uniqueItems: must not repeat an item, but item 2 stands in front of it "
     "already"},
    {"an unevaluated member", R"({"unevaluatedProperties": false})", R"({"a/b": 1})",
     "/a~1b unevaluatedProperties /unevaluatedProperties: there is no property \"a/b\""},
};

std::string describe(const std::vector<Violation>& violations) {
  std::string out;
  for (const Violation& v : violations) {
    if (!out.empty()) out += '\n';
    out += v.instance + " " + v.keyword + " " + v.schema + ": " + v.message;
  }
  return out;
}

TEST(Schema, TellsWhereAndWhatIsWrong) {
  for (const Reported& c : kReported) {
    SCOPED_TRACE(c.name);
    const auto schema = Schema::compile(read(c.schema));
    ASSERT_TRUE(schema);
    EXPECT_EQ(describe(schema->validate(read(c.instance))), c.want);
  }
}

TEST(Schema, TellsAtMostAsManyViolationsAsAskedFor) {
  const auto schema = Schema::compile(read(R"({"items": {"type": "string"}})"));
  ASSERT_TRUE(schema);
  EXPECT_EQ(schema->validate(read("[1, 2, 3, 4]"), 3).size(), 3U);
}

TEST(Schema, EndsWhereAReferenceTurnsInACircle) {
  const auto schema = Schema::compile(read(R"({"$ref": "#"})"));
  ASSERT_TRUE(schema);
  EXPECT_FALSE(schema->accepts(1));
  ASSERT_EQ(schema->validate(1).size(), 1U);
  EXPECT_EQ(schema->validate(1)[0].keyword, "limit");
}

TEST(Schema, ALimitIsNeverTurnedIntoValidByNot) {
  const auto schema = Schema::compile(read(R"({"not": {"$ref": "#"}})"));
  ASSERT_TRUE(schema);
  EXPECT_FALSE(schema->accepts(1));
  EXPECT_FALSE(schema->validate(1).empty());
}

TEST(Schema, EndsWhereAlternativesMultiply) {
  JsonObject defs;
  for (int i = 0; i < 40; ++i) {
    const Json next = JsonObject{{"$ref", "#/$defs/d" + std::to_string(i + 1)}};
    defs["d" + std::to_string(i)] = JsonObject{{"allOf", JsonArray{next, next}}};
  }
  defs["d40"] = JsonObject{{"type", "integer"}};
  const auto schema = Schema::compile(JsonObject{{"$defs", defs}, {"$ref", "#/$defs/d0"}});
  ASSERT_TRUE(schema);
  EXPECT_FALSE(schema->accepts(1));
}

TEST(Schema, TakesAnInstanceAsDeepAsTheReaderTakes) {
  const auto schema = Schema::compile(read(
      R"({"$defs": {"node": {"anyOf": [{"type": "null"}, {"allOf": [{"type": "array",
          "items": {"$ref": "#/$defs/node"}}]}]}}, "$ref": "#/$defs/node"})"));
  ASSERT_TRUE(schema);
  const Json deep = read(std::string(255, '[') + "null" + std::string(255, ']'));
  EXPECT_TRUE(schema->accepts(deep));
}

TEST(Schema, OutlivesTheDocumentItWasMadeOf) {
  std::optional<Schema> schema;
  {
    const Json document = read(R"({"properties": {"a": {"enum": ["x"]}}, "required": ["a"]})");
    schema = Schema::compile(document).value();
  }
  const Schema copy = *schema;
  EXPECT_TRUE(copy.accepts(read(R"({"a": "x"})")));
  EXPECT_FALSE(copy.accepts(read(R"({"a": "y"})")));
}

}  // namespace
}  // namespace helve::schema
