// Spec 1.2: `x-mcp-header` on a schema property makes clients send Mcp-Param-{name}, which the
// server must then check.
#include <gtest/gtest.h>

#include "base/texts.h"
#include "mcp/detail/header_rules.h"

namespace helve::mcp {
namespace {

Json parse(std::string_view json) { return parse_json(json).value(); }

// "Mcp-Param-Region=region Mcp-Param-Zone=place/zone#", with # for numbers; or the refusal.
std::string described(const Result<std::vector<ParamHeader>>& marks) {
  if (!marks) return marks.error().rule + ' ' + marks.error().args[0].second;
  std::string out;
  for (const ParamHeader& mark : *marks) {
    if (!out.empty()) out += ' ';
    out += mark.header + '=';
    for (size_t i = 0; i < mark.path.size(); ++i) out += (i == 0 ? "" : "/") + mark.path[i];
    if (mark.number) out += '#';
  }
  return out;
}

struct SchemaCase {
  const char *name, *schema, *want;
};

const SchemaCase kSchemas[] = {
    {"no mark", R"({"properties":{"a":{"type":"string"}}})", ""},
    {"no schema", "true", ""},
    {"a text", R"({"properties":{"a":{"type":"string","x-mcp-header":"Region"}}})",
     "Mcp-Param-Region=a"},
    {"all three types",
     R"({"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"integer",)"
     R"("x-mcp-header":"B"},"c":{"type":"boolean","x-mcp-header":"C"}}})",
     "Mcp-Param-A=a Mcp-Param-B=b# Mcp-Param-C=c"},
    {"properties of properties",
     R"({"properties":{"o":{"type":"object","properties":{"p":{"properties":{"q":)"
     R"({"type":"string","x-mcp-header":"Q"}}}}}}})",
     "Mcp-Param-Q=o/p/q"},
    {"a property with the name of the mark", R"({"properties":{"x-mcp-header":{"type":"array"}}})",
     ""},
    {"a property with the name of a keyword",
     R"({"properties":{"items":{"type":"string","x-mcp-header":"I"}}})", "Mcp-Param-I=items"},
    {"the mark in a default is data", R"({"properties":{"a":{"default":{"x-mcp-header":1}}}})", ""},
    {"signs of a token", R"({"properties":{"a":{"type":"string","x-mcp-header":"a_b.c~!"}}})",
     "Mcp-Param-a_b.c~!=a"},
    {"the arguments themselves", R"({"type":"string","x-mcp-header":"A"})", "schema.header_place "},
    {"items", R"({"properties":{"a":{"items":{"type":"string","x-mcp-header":"A"}}}})",
     "schema.header_place /properties/a/items"},
    {"properties of items",
     R"({"properties":{"a":{"items":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}}}})",
     "schema.header_place /properties/a/items/properties/b"},
    {"a choice", R"({"oneOf":[{},{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}]})",
     "schema.header_place /oneOf/1/properties/b"},
    {"a condition", R"({"if":{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}})",
     "schema.header_place /if/properties/b"},
    {"a definition", R"({"$defs":{"d":{"type":"string","x-mcp-header":"A"}}})",
     "schema.header_place /$defs/d"},
    {"a pattern", R"({"patternProperties":{"^a":{"type":"string","x-mcp-header":"A"}}})",
     "schema.header_place /patternProperties/^a"},
    {"all other properties", R"({"additionalProperties":{"type":"string","x-mcp-header":"A"}})",
     "schema.header_place /additionalProperties"},
    {"an empty name", R"({"properties":{"a":{"type":"string","x-mcp-header":""}}})",
     "schema.header_name /properties/a"},
    {"a name that is no text", R"({"properties":{"a":{"type":"string","x-mcp-header":true}}})",
     "schema.header_name /properties/a"},
    {"a blank in the name", R"({"properties":{"a":{"type":"string","x-mcp-header":"My Region"}}})",
     "schema.header_name /properties/a"},
    {"a colon in the name", R"({"properties":{"a":{"type":"string","x-mcp-header":"R:P"}}})",
     "schema.header_name /properties/a"},
    {"a name beyond ASCII", R"({"properties":{"a":{"type":"string","x-mcp-header":"Région"}}})",
     "schema.header_name /properties/a"},
    {"a tab in the name", R"({"properties":{"a":{"type":"string","x-mcp-header":"R\t1"}}})",
     "schema.header_name /properties/a"},
    {"a line end in the name", R"({"properties":{"a":{"type":"string","x-mcp-header":"R\r\nX"}}})",
     "schema.header_name /properties/a"},
    {"an object", R"({"properties":{"a":{"type":"object","x-mcp-header":"A"}}})",
     "schema.header_type /properties/a"},
    {"an array", R"({"properties":{"a":{"type":"array","x-mcp-header":"A"}}})",
     "schema.header_type /properties/a"},
    {"null", R"({"properties":{"a":{"type":"null","x-mcp-header":"A"}}})",
     "schema.header_type /properties/a"},
    {"a number that may have a fraction",
     R"({"properties":{"a":{"type":"number","x-mcp-header":"A"}}})",
     "schema.header_type /properties/a"},
    {"several types", R"({"properties":{"a":{"type":["string"],"x-mcp-header":"A"}}})",
     "schema.header_type /properties/a"},
    {"no type", R"({"properties":{"a":{"x-mcp-header":"A"}}})", "schema.header_type /properties/a"},
    {"a name twice",
     R"({"properties":{"a":{"type":"string","x-mcp-header":"R"},"b":{"type":"string","x-mcp-header":"R"}}})",
     "schema.header_twice /properties/b"},
    {"a name twice but for its case",
     R"({"properties":{"a":{"type":"string","x-mcp-header":"MyField"},"b":{"properties":{"c":)"
     R"({"type":"string","x-mcp-header":"myfield"}}}}})",
     "schema.header_twice /properties/b/properties/c"},
};

TEST(ParamHeaders, AreDeclaredByTheSchema) {
  for (const SchemaCase& c : kSchemas) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(described(read_param_headers(parse(c.schema))), c.want);
  }
}

struct CallCase {
  const char *name, *arguments;
  http::Headers headers;
  const char* want;
};

constexpr const char* kPasses = "passes";
constexpr const char* kMissing = "mcp.header_missing";
constexpr const char* kMismatch = "mcp.header_mismatch";
constexpr const char* kEncoding = "mcp.header_encoding";

const CallCase kCalls[] = {
    {"a text", R"({"s":"us"})", {{"Mcp-Param-S", "us"}}, kPasses},
    {"a name without case", R"({"s":"us"})", {{"MCP-PARAM-s", " us "}}, kPasses},
    {"a value has its case", R"({"s":"us"})", {{"Mcp-Param-S", "US"}}, kMismatch},
    {"no header", R"({"s":"us"})", {}, kMissing},
    {"no argument", "{}", {{"Mcp-Param-S", "us"}}, kPasses},
    {"null", R"({"s":null})", {}, kPasses},
    {"null and a header", R"({"s":null})", {{"Mcp-Param-S", "us"}}, kPasses},
    {"no arguments", "null", {{"Mcp-Param-S", "us"}}, kPasses},
    {"twice",
     R"({"s":"us"})",
     {{"Mcp-Param-S", "us"}, {"mcp-param-s", "us"}},
     "mcp.header_repeated"},
    {"an empty text", R"({"s":""})", {{"Mcp-Param-S", ""}}, kPasses},
    {"an empty text in base64",
     R"({"s":""})",
     {{"Mcp-Param-S",
       "=?base64?"
       "?="}},
     kPasses},
    {"base64", R"({"s":"Hello"})", {{"Mcp-Param-S", "=?base64?SGVsbG8=?="}}, kPasses},
    {"base64 without padding",
     R"({"s":"Hello"})",
     {{"Mcp-Param-S", "=?base64?SGVsbG8?="}},
     kEncoding},
    {"base64 with other characters",
     R"({"s":"Hello"})",
     {{"Mcp-Param-S", "=?base64?SGVs!!!bG8=?="}},
     kEncoding},
    {"what only looks like base64", R"({"s":"SGVsbG8="})", {{"Mcp-Param-S", "SGVsbG8="}}, kPasses},
    {"an open end",
     R"({"s":"=?base64?SGVsbG8="})",
     {{"Mcp-Param-S", "=?base64?SGVsbG8="}},
     kPasses},
    {"blanks at the ends, in base64",
     R"({"s":" a "})",
     {{"Mcp-Param-S", "=?base64?IGEg?="}},
     kPasses},
    {"blanks at the ends get lost", R"({"s":" a "})", {{"Mcp-Param-S", " a "}}, kMismatch},
    {"an integer", R"({"i":42})", {{"Mcp-Param-I", "42"}}, kPasses},
    {"an integer with a point", R"({"i":42})", {{"Mcp-Param-I", "42.00"}}, kPasses},
    {"an integer with a point in the body", R"({"i":42.0})", {{"Mcp-Param-I", "42"}}, kPasses},
    {"both with a point", R"({"i":42.0})", {{"Mcp-Param-I", "42.0"}}, kPasses},
    {"a negative integer", R"({"i":-7})", {{"Mcp-Param-I", "-7"}}, kPasses},
    {"zeros in front", R"({"i":7})", {{"Mcp-Param-I", "007"}}, kPasses},
    {"minus zero", R"({"i":0})", {{"Mcp-Param-I", "-0"}}, kPasses},
    {"another integer", R"({"i":42})", {{"Mcp-Param-I", "43"}}, kMismatch},
    {"a fraction more", R"({"i":42})", {{"Mcp-Param-I", "42.5"}}, kMismatch},
    {"an exponent", R"({"i":1000})", {{"Mcp-Param-I", "1e3"}}, kMismatch},
    {"hexadecimal", R"({"i":26})", {{"Mcp-Param-I", "0x1a"}}, kMismatch},
    {"a plus", R"({"i":42})", {{"Mcp-Param-I", "+42"}}, kMismatch},
    {"half a number", R"({"i":42})", {{"Mcp-Param-I", "42."}}, kMismatch},
    {"not a number", R"({"i":42})", {{"Mcp-Param-I", "x"}}, kMismatch},
    {"an integer, missing", R"({"i":42})", {}, kMissing},
    {"2^53 - 1 is sent", R"({"i":9007199254740991})", {}, kMissing},
    {"beyond 2^53 it may be missing", R"({"i":9007199254740993})", {}, kPasses},
    {"beyond 2^53 it counts if it is there",
     R"({"i":9007199254740993})",
     {{"Mcp-Param-I", "9007199254740992"}},
     kMismatch},
    {"beyond 2^63",
     R"({"i":18446744073709551615})",
     {{"Mcp-Param-I", "18446744073709551615"}},
     kPasses},
    {"beyond what can be read",
     R"({"i":42})",
     {{"Mcp-Param-I", "99999999999999999999"}},
     kMismatch},
    {"an integer as text, before it is coerced", R"({"i":"42"})", {{"Mcp-Param-I", "42"}}, kPasses},
    {"a fraction where an integer belongs", R"({"i":0.5})", {{"Mcp-Param-I", "0.50"}}, kPasses},
    {"true", R"({"b":true})", {{"Mcp-Param-B", "true"}}, kPasses},
    {"false", R"({"b":false})", {{"Mcp-Param-B", "false"}}, kPasses},
    {"True", R"({"b":true})", {{"Mcp-Param-B", "True"}}, kMismatch},
    {"a boolean as a number", R"({"b":true})", {{"Mcp-Param-B", "1"}}, kMismatch},
    {"a boolean, missing", R"({"b":false})", {}, kMissing},
    {"an inner property", R"({"o":{"p":"x"}})", {{"Mcp-Param-P", "x"}}, kPasses},
    {"an inner property, missing", R"({"o":{"p":"x"}})", {}, kMissing},
    {"what holds it is no object", R"({"o":3})", {}, kPasses},
    {"an object where a text belongs", R"({"s":{"x":1}})", {}, kPasses},
    {"other headers", R"({"t":"x"})", {{"Mcp-Param-T", "y"}}, kPasses},
    {"the second of two",
     R"({"s":"us","i":1})",
     {{"Mcp-Param-S", "us"}, {"Mcp-Param-I", "2"}},
     kMismatch},
};

TEST(ParamHeaders, SayWhatTheArgumentsSay) {
  const auto marks = read_param_headers(
      parse(R"({"properties":{"s":{"type":"string","x-mcp-header":"S"},"i":{"type":"integer",)"
            R"("x-mcp-header":"I"},"b":{"type":"boolean","x-mcp-header":"B"},"o":{"type":"object",)"
            R"("properties":{"p":{"type":"string","x-mcp-header":"P"}}},"t":{"type":"string"}}})"));
  ASSERT_TRUE(marks);
  for (const CallCase& c : kCalls) {
    SCOPED_TRACE(c.name);
    const Checked checked = check_param_headers(c.headers, *marks, parse(c.arguments));
    EXPECT_EQ(checked ? kPasses : checked.error().what.rule, c.want);
    if (!checked) EXPECT_EQ(checked.error().code, ErrorCode::kHeaderMismatch);
  }
}

TEST(ParamHeaders, ErrorsNameHeaderAndBothValues) {
  const std::vector<ParamHeader> marks = {{.header = "Mcp-Param-S", .path = {"s"}}};
  const auto checked = check_param_headers({{"Mcp-Param-S", "us"}}, marks, parse(R"({"s":"eu"})"));
  ASSERT_FALSE(checked);
  EXPECT_EQ(write_json(checked.error().what.details),
            R"({"header":"Mcp-Param-S","sent":"us","body":"eu"})");
  EXPECT_EQ(render(checked.error().what).message,
            R"(the header Mcp-Param-S says "us", the body says "eu")");
}

}  // namespace
}  // namespace helve::mcp
