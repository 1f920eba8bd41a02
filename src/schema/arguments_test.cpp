// What tools do with schemas beside validating: coerce (R9), lint (R7), show an example.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/texts.h"
#include "schema/schema.h"
#include "schema/testing/read.h"

namespace helve::schema {
namespace {

using testing::read;

struct Coerced {
  const char *name, *schema, *instance, *want;
};

constexpr Coerced kCoerced[] = {
    {"R9 a number as text", R"({"type": "integer"})", R"("3")", "3"},
    {"R9 blanks around it", R"({"type": "number"})", R"(" 2.5 ")", "2.5"},
    {"R9 a whole number with a fraction of zero", R"({"type": "integer"})", R"("3.0")", "3"},
    {"R9 a fraction is no integer", R"({"type": "integer"})", R"("3.5")", R"("3.5")"},
    {"R9 an integer beyond 64 bits stays text", R"({"type": "integer"})",
     R"("99999999999999999999")", R"("99999999999999999999")"},
    {"R9 no other notation", R"({"type": "integer"})", R"("0x10")", R"("0x10")"},
    {"R9 a boolean as text", R"({"type": "boolean"})", R"("true")", "true"},
    {"R9 the words of CT-49 for one", R"({"type": "boolean"})", R"(" Yes ")", "true"},
    {"R9 not what looks like one", R"({"type": "boolean"})", R"("on")", R"("on")"},
    {"CT-29 null for an argument says that it is not given",
     R"({"properties": {"a": {"type": "string"}, "b": {"type": ["string", "null"]}}})",
     R"({"a": null, "b": null})", R"({"b":null})"},
    {"R9 an array as text", R"({"type": "array", "items": {"type": "integer"}})", R"("[1, \"2\"]")",
     "[1,2]"},
    {"R9 an object as text", R"({"type": "object", "properties": {"a": {"type": "integer"}}})",
     R"("{\"a\": \"1\"}")", R"({"a":1})"},
    {"R9 text that does not parse stays", R"({"type": "array"})", R"("a, b")", R"("a, b")"},
    {"R9 a number for a text", R"({"type": "string"})", "2.0", R"("2")"},
    {"R9 a boolean for a text", R"({"type": "string"})", "false", R"("false")"},
    {"R9 a text stays a text", R"({"type": "string"})", R"("3")", R"("3")"},
    {"R9 a text that is allowed stays", R"({"type": ["string", "integer"]})", R"("3")", R"("3")"},
    {"R9 null only where it is meant", R"({"type": ["integer", "null"]})", R"("null")", "null"},
    {"R9 what has no type stays", "{}", R"("3")", R"("3")"},
    {"R9 unknown members stay", R"({"properties": {"a": {"type": "integer"}}})",
     R"({"a": "1", "b": "2"})", R"({"a":1,"b":"2"})"},
    {"R9 an object is no text", R"({"type": "string"})", "{}", "{}"},
};

TEST(Coerce, TurnsWhatParsesIntoWhatTheSchemaSays) {
  for (const Coerced& c : kCoerced) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(write_json(coerce(read(c.schema), read(c.instance))), c.want);
  }
}

struct Linted {
  const char *name, *schema, *want;  // "rule pointer" by lines, warnings with a ~ in front
};

constexpr Linted kLinted[] = {
    {"R7 a schema in the subset",
     R"({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"},
         "description": "x"}}, "required": ["a"], "additionalProperties": false})",
     ""},
    {"R7 no object at the root", R"({"type": "string", "properties": {}})",
     "schema.portable_root /type"},
    {"R7 no properties", R"({"type": "object"})", "schema.portable_properties "},
    {"R7 a combinator at the root", R"({"type": "object", "properties": {}, "oneOf": [{}]})",
     "schema.portable_root_keyword /oneOf"},
    {"R7 a reference at the root", R"({"type": "object", "properties": {}, "$ref": "#/$defs/a",
                                       "$defs": {"a": {}}})",
     "schema.portable_root_keyword /$ref"},
    {"R7 a list of types", R"({"type": "object", "properties": {"a": {"type": ["string", "null"],
                               "description": "x"}}})",
     "schema.portable_type_list /properties/a/type"},
    {"R7 a boolean schema", R"({"type": "object", "properties": {"a": true}})",
     "schema.portable_boolean /properties/a"},
    {"R7 an array without items", R"({"type": "object", "properties": {"a": {"type": "array",
                                      "description": "x"}}})",
     "schema.portable_items /properties/a"},
    {"R7 items without a type, deep inside",
     R"({"type": "object", "properties": {"a": {"type": "object", "description": "x",
         "properties": {"b": {"type": "array", "items": {}, "description": "x"}}}}})",
     "schema.portable_items_type /properties/a/properties/b/items"},
    {"R7 a nullable union", R"({"type": "object", "properties": {"a": {"description": "x",
                                "anyOf": [{"type": "string"}, {"type": "null"}]}}})",
     "schema.portable_nullable /properties/a/anyOf"},
    {"R7 required beyond the properties",
     R"({"type": "object", "properties": {}, "required": ["a"]})",
     "schema.portable_required /required/0"},
    {"R7 a reference inside is a warning", R"({"type": "object", "properties": {"a":
                                {"$ref": "#/$defs/a", "description": "x"}}, "$defs": {"a": {}}})",
     "~schema.portable_reference /properties/a/$ref"},
    {"R7 no description is a warning",
     R"({"type": "object", "properties": {"a": {"type": "null"}}})",
     "~schema.portable_description /properties/a"},
    {"R7 a property name that a host refuses",
     R"({"type": "object", "properties": {"a b": {"type": "string", "description": "x"}}})",
     "schema.portable_name /properties/a b"},
};

TEST(Portability, NamesWhatHostsChokeOn) {
  for (const Linted& c : kLinted) {
    SCOPED_TRACE(c.name);
    std::string found;
    for (const Finding& finding : portability(read(c.schema))) {
      if (!found.empty()) found += '\n';
      if (finding.severity == Finding::Severity::kWarning) found += '~';
      found += finding.what.rule + " " + finding.pointer;
      EXPECT_FALSE(render_text(finding.what).contains('{')) << render_text(finding.what);
    }
    EXPECT_EQ(found, c.want);
  }
}

struct Shown {
  const char *name, *schema, *want;
};

constexpr Shown kShown[] = {
    {"required members only",
     R"({"type": "object", "properties": {"url": {"type": "string"}, "depth": {"type": "integer"},
         "more": {"type": "boolean"}}, "required": ["url", "depth"]})",
     R"({"url":"text","depth":1})"},
    {"some members where none is required",
     R"({"type": "object", "properties": {"a": {"type": "boolean"}}})", R"({"a":true})"},
    {"the first of an enumeration", R"({"enum": ["left", "right"]})", R"("left")"},
    {"a default", R"({"type": "integer", "default": 7})", "7"},
    {"within limits", R"({"type": "integer", "minimum": 10, "maximum": 20})", "10"},
    {"beyond an open limit", R"({"type": "integer", "exclusiveMaximum": -3})", "-4"},
    {"a multiple", R"({"type": "number", "multipleOf": 2.5})", "2.5"},
    {"long enough", R"({"type": "string", "minLength": 6})", R"("textte")"},
    {"short enough", R"({"type": "string", "maxLength": 2})", R"("te")"},
    {"enough items", R"({"type": "array", "items": {"type": "integer"}, "minItems": 2})", "[1,1]"},
    {"a known format", R"({"type": "string", "format": "date"})", R"("2026-01-31")"},
    {"behind a reference", R"({"$defs": {"a": {"type": "boolean"}}, "$ref": "#/$defs/a"})", "true"},
    {"the first alternative", R"({"anyOf": [{"type": "integer"}, {"type": "string"}]})", "1"},
};

TEST(Example, SatisfiesTheSchema) {
  for (const Shown& c : kShown) {
    SCOPED_TRACE(c.name);
    const Json schema = read(c.schema);
    const Json shown = example(schema);
    EXPECT_EQ(write_json(shown), c.want);
    EXPECT_TRUE(Schema::compile(schema)->accepts(shown));
  }
}

TEST(Example, EndsWhereASchemaRefersToItself) {
  const Json schema =
      read(R"({"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]})");
  EXPECT_TRUE(example(schema).is_object());
}

}  // namespace
}  // namespace helve::schema
