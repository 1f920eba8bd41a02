// Types, arguments of the tool, their schema, normalisation.
#include <gtest/gtest.h>

#include "base/text.h"
#include "base/texts.h"
#include "template/testing/describe.h"

namespace helve::tmpl {
namespace {

struct Case {
  const char *name, *source, *want;
};

// "x: string!, n: int = 5": `!` is required.
std::string arguments_of(std::string_view source) {
  std::vector<std::string> out;
  const Template made = compiled(source);
  const Json schema = made.input_schema();
  for (const Argument& argument : made.arguments()) {
    const Json& property = *find(*find(schema, "properties"), argument.name);
    std::string text = argument.name + ": " + std::string(find_text(property, "type").value());
    if (argument.required) text += '!';
    if (const Json* value = find(property, "default")) text += " = " + write_json(*value);
    out.push_back(text);
  }
  return join(out, ", ");
}

TEST(Arguments, FollowFromDeclarationsAndUses) {
  const Case cases[] = {
      {"CT-46 declared first, then in order",
       R"({"template": "a {x} {y} {z}", "args": ["z", "y"]})",
       "z: string!, y: string!, x: string!"},
      {"CT-46 forms", "a {n:int} {f??x} {g?a:b} {xs[i]}",
       "n: integer!, f: string, g: boolean, xs: array!, i: string!"},
      {"CT-46 a when flag", R"({"template": "a", "when": "!f"})", "f: boolean"},
      {"CT-46 a bare placeholder in when", R"({"template": "a", "when": "{f}"})", "f: boolean"},
      {"CT-46 a length", R"({"template": "a", "repeat": "{xs.length}"})", "xs: array!"},
      {"CT-46 controls, recover, output",
       R"({"template": "a", "recover": "r {p}", "timeout": "{q}", "output": "s"})",
       "p: string!, q: string!, s: string!"},
      {"CT-46 generated names are none",
       R"({"repeat": 2, "template": "a {index} {_(next+1)} {xs[prev]}"})", "xs: array!"},
      {"CT-46 outside of repeat they are", R"([{"repeat": 2, "template": "a"}, "b {index}"])",
       "index: string!"},
      {"CT-46 array if any form says so", "a {x} {x[0]} {x?b:c}", "x: array!"},
      {"CT-46 bool only if every form does", "a {x?b:c} {x??d}", "x: string"},
      {"CT-46 optional only if every form is", "a {x??b} {x}", "x: string!"},
      {"CT-46 in defaults alone, after the others",
       R"({"defaults": {"d": "{late}"}, "template": "a {d} {x}"})",
       "d: string, x: string!, late: string!"},
      {"CT-47 any default makes it optional",
       R"({"args": ["a=1"], "defaults": {"b": 2}, "template": "t {a} {b} {c=3} {d}"})",
       R"(a: string = "1", b: string = "2", c: string = "3", d: string!)"},
      {"CT-48 defaults in the type", "a {i:int=05} {n:number=.5} {b:bool=yes} {x:array=[1,2]}",
       "i: integer = 5, n: number = 0.5, b: boolean = true, x: array = [\"1\",\"2\"]"},
      {"CT-48 items of a default are texts", R"(a '{x:array=[true,null,"b",[1, 2]]}')",
       R"(x: array = ["true","","b","[1,2]"])"},
      {"CT-48 none where places differ", "a {i=1} {i=2}", "i: string"},
      {"CT-48 none where it is no literal", R"({"defaults": {"x": "{y=1}"}, "template": "a {x}"})",
       R"(x: string, y: string = "1")"},
      {"a name in a label alone is not needed", R"({"label": "{x}", "template": "a"})",
       "x: string"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(arguments_of(c.source), c.want);
  }
}

TEST(Arguments, HaveASchema) {
  SCOPED_TRACE("CT-48");
  const Template made = compiled(
      R"({"args": ["m:enum(a, b)=b", "p:path", "xs:array"], "template": "t {m} {p} {xs}"})");
  EXPECT_EQ(write_json(made.input_schema({{"p", "where"}})),
            R"({"type":"object","additionalProperties":false,"properties":{)"
            R"("m":{"type":"string","enum":["a","b"],)"
            R"("description":"the argument m: one of a, b","default":"b"},)"
            R"("p":{"type":"string","description":"where"},)"
            R"("xs":{"type":"array","items":{"type":"string"},)"
            R"("description":"the argument xs: list"}},"required":["p","xs"]})");
}

TEST(Arguments, AreDescribedByTheirTypesElse) {
  SCOPED_TRACE("decision 12");
  const Json schema =
      compiled("a {s} {p:path} {i:int} {n:number} {b:bool} {f?x:y} {xs[0]} {e:enum(a,b)}")
          .input_schema();
  std::vector<std::string> got;
  for (const auto& [name, property] : find(schema, "properties")->get_object()) {
    got.emplace_back(find_text(property, "description").value());
  }
  EXPECT_EQ(join(got, "; "),
            "the argument s: text; the argument p: path; the argument i: whole number; "
            "the argument n: number; the argument b: yes or no; the argument f: yes or no; "
            "the argument xs: list; the argument e: one of a, b");
}

TEST(Declarations, AreChecked) {
  const Case cases[] = {
      {"CT-41 all types",
       R"j({"args": ["a:string", "b:path", "c:int", "d:number", "e:bool", "f:array", "g:enum(x)"], "template": "t"})j",
       "[t]"},
      {"CT-41 empty items are dropped", R"({"args": ["g:enum( x ,, )=x"], "template": "t {g}"})",
       "[t x]"},
      {"CT-42 parts are trimmed", R"({"args": [" n : int = 5 "], "template": "t {n}"})", "[t 5]"},
      {"CT-42 blank entries are skipped", R"({"args": ["", "  "], "template": "t"})", "[t]"},
      {"CT-42 a colon in a default", R"({"args": ["u=http://h"], "template": "t {u}"})",
       "[t http://h]"},
      {"CT-42 a bad name", R"({"args": ["1x"], "template": "t"})",
       "refused invalid_arg_name at /args/0"},
      {"CT-42 an unknown type", R"({"args": ["x", "y:float=1"], "template": "t"})",
       "refused invalid_type at /args/1"},
      {"CT-42 text behind an enum", R"({"args": ["y:enum(a)b"], "template": "t"})",
       "refused invalid_type at /args/0"},
      {"CT-42 twice", R"({"args": ["x", "x:int"], "template": "t"})",
       "refused duplicate_arg at /args/1"},
      {"CT-43 string agrees with any type", R"({"args": ["x:string"], "template": "t {x:int=1}"})",
       "[t 1]"},
      {"CT-43 two others do not", R"({"args": ["x:int"], "template": ["a", "t {x:number=1}"]})",
       "refused type_conflict at /template/1"},
      {"CT-44 generated names are reserved",
       R"({"args": ["_index"], "template": [{"repeat": 2, "template": "t"}]})",
       "refused reserved_name at /args/0"},
      {"CT-44 but not without repeat", R"({"args": ["index=3"], "template": "t {index}"})",
       "[t 3]"},
      {"CT-50 a default of the wrong type",
       R"({"args": ["n:int"], "defaults": {"n": "soon"}, "template": "t"})",
       "refused invalid_default at /defaults/n"},
      {"CT-50 the second entry", R"({"args": ["m", "n:int=x"], "template": "t {n} {m}"})",
       "refused invalid_default at /args/1"},
      {"CT-50 an entry of an inner node",
       R"({"args": ["n:int"], "template": [{"defaults": {"m": 1, "n": []}, "template": "t {n}"}]})",
       "refused invalid_default at /template/0/defaults/n"},
      {"CT-50 an inline one", "t {n:bool=maybe}", "refused invalid_default"},
      {"CT-50 null is not checked",
       R"({"args": ["n:int"], "defaults": {"n": null}, "template": "t {n}"})", "[t '']"},
      {"CT-50 one with placeholders is checked later",
       R"({"args": ["n:int"], "defaults": {"n": "{m}", "m": "x"}, "template": "t {n}"})",
       "refused invalid_value at /template"},
      {"CT-50 a default is used in its form", R"(["t '{xs:array=[\"u\",\"v\"]}' {xs[1]}"])",
       R"(refused missing_value at /0)"},
      {"CT-50 in every place",
       R"({"defaults": {"xs": "[\"u\",\"v\"]"}, "template": "t {xs:array} {xs[1]}"})",
       R"([t '["u","v"]' v])"},
      {"CT-51 a type says nothing about the program",
       R"({"args": ["p:path=ls"], "template": "{p}"})", "[ls]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(expanded(c.source), c.want);
  }
}

TEST(Values, AreBroughtIntoTheFormOfTheirType) {
  struct Row {
    const char *name, *type, *value, *want;  // "" : refused
  };
  const Row rows[] = {
      {"CT-49 int from a whole float", "int", "5.0", "5"},
      {"CT-49 int from digits", "int", R"(" -007 ")", R"("-007")"},
      {"CT-49 int beyond 64 bits", "int", R"("123456789012345678901")",
       R"("123456789012345678901")"},
      {"CT-49 int beyond 64 bits as a float", "int", "1e21", R"("1000000000000000000000")"},
      {"CT-49 int with a sign", "int", R"("+5")", ""},
      {"CT-49 int with a fraction", "int", "5.5", ""},
      {"CT-49 int from a boolean", "int", "true", ""},
      {"CT-49 number", "number", R"("-.5")", R"("-.5")"},
      {"CT-49 number with a dot at the end", "number", R"("5.")", ""},
      {"CT-49 number with an exponent", "number", R"("1e3")", ""},
      {"CT-49 number as JSON", "number", "1e3", "1000"},
      {"CT-49 bool", "bool", R"(" Yes ")", "true"},
      {"CT-49 bool from a number", "bool", "0", ""},
      {"CT-49 enum from a number", "enum(1,2)", "2", R"("2")"},
      {"CT-49 enum is not trimmed", "enum(a,b)", R"(" a")", ""},
      {"CT-49 array from text", "array", R"("[1, 2]")", "[1,2]"},
      {"CT-49 array from an object", "array", R"("{}")", ""},
      {"CT-49 path from an array", "path", "[]", ""},
      {"CT-49 path as it is", "path", R"("~/x")", R"("~/x")"},
      {"CT-49 string as it is", "string", R"({"a": 1})", R"({"a":1})"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Template made =
        compiled(R"({"template": "t {x}", "args": ["x:)" + std::string(row.type) + R"("]})");
    const Result<JsonObject> got = made.normalise({{"x", json(row.value)}});
    if (*row.want == 0) {
      ASSERT_FALSE(got);
      EXPECT_EQ(got.error().rule, "template.invalid_value");
    } else {
      ASSERT_TRUE(got);
      EXPECT_EQ(write_json(got->at("x")), row.want);
    }
  }
}

TEST(Values, ThatDoNotFitAreNamedButNotRepeated) {
  const Template made = compiled("t {n:int} {m:enum(a,b)=a}");
  const Result<JsonObject> got = made.normalise({{"n", "hunter2"}});
  ASSERT_FALSE(got);
  const std::string text = render_text(got.error());
  SCOPED_TRACE("CT-49");
  EXPECT_EQ(text,
            "the value of n is not a whole number\n"
            "Next: pass a whole number for n; the arguments are: n: int, m?: enum(a,b)");
  EXPECT_FALSE(made.normalise({{"z", 1}})) << "unknown names are refused here";
  EXPECT_TRUE(made.expand({{"z", 1}, {"n", 1}}, {})) << "and ignored in an expansion";
}

TEST(Secrets, AreMaskedWhereTheyAreShown) {
  const Place place{.secret = {"token", "list"}};
  struct Row {
    const char *name, *source, *want;
  };
  const Row rows[] = {
      {"CT-103 a word", "t -H {token}", "t -H '***'"},
      {"CT-103 a part of a word", "t a={token}&b={x} end", "t 'a=***&b=1' end"},
      {"CT-103 behind a default", R"({"defaults": {"d": "Bearer {token}"}, "template": "t {d}"})",
       "t '***'"},
      {"CT-103 an item", "t {list[0]}", "t '***'"},
      {"CT-103 a condition shows nothing", "t {token?yes:no}", ""},
      {"CT-103 without one there is nothing to mask", "t {x}", ""},
      {"CT-103 a default of the secret itself",
       R"({"defaults": {"list": ["q"]}, "template": [{"defaults": {"e": "{list[0]}"}, "template": "t {e}"}]})",
       "t '***'"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Plan plan =
        plan_of(row.source, R"({"token": "s3cret", "x": 1, "list": ["s3cret"]})", place);
    const Step& leaf = plan.root.children.empty() ? plan.root : plan.root.children.front();
    EXPECT_EQ(shell_quote(leaf.shown), row.want);
  }
}

}  // namespace
}  // namespace helve::tmpl
