// What the vectors leave out, one table per chapter of the format.
#include <gtest/gtest.h>

#include "base/texts.h"
#include "template/testing/describe.h"

namespace helve::tmpl {
namespace {

TEST(Shapes, AreStringsListsAndObjects) {
  expect_all({
      {"CT-1 a string is a leaf", R"("a b")", "{}", "[a b]"},
      {"CT-1 a list is a sequence", R"(["a", ["b", "c"]])", "{}", "([a], ([b], [c]))"},
      {"CT-1 an object has a template", R"({"template": "a"})", "{}", "[a]"},
      {"CT-1 and is refused without", R"({"label": "a"})", "{}", "refused invalid_template"},
      {"CT-2 an object in an object is a sequence of one",
       R"({"label": "o", "template": {"template": "a"}})", "{}", "o: ([a])"},
      {"CT-2 which makes no join", R"({"parallel": true, "template": {"template": "a"}})", "{}",
       "([a])"},
      {"CT-3 a parallel list joins", R"({"parallel": true, "template": ["a", "b"]})", "{}",
       "{[a] | [b]}"},
      {"CT-4 host fields are ignored", R"({"template": "a", "description": "x"})", "{}", "[a]"},
      {"CT-4 a foreign control field is refused",
       R"({"template": ["a", {"template": "b", "concurrency": 2}]})", "{}",
       "refused invalid_template at /template/1/concurrency"},
      {"CT-5 a label that is no text", R"({"template": "a", "label": 1})", "{}",
       "refused invalid_template at /label"},
      {"CT-5 parallel that is no boolean", R"({"template": "a", "parallel": "yes"})", "{}",
       "refused invalid_template at /parallel"},
      {"CT-5 args that are no array", R"({"template": "a", "args": "x"})", "{}",
       "refused invalid_template at /args"},
      {"CT-5 an arg that is no text", R"({"template": "a", "args": [1]})", "{}",
       "refused invalid_template at /args"},
      {"CT-5 defaults that are no object", R"({"template": "a", "defaults": []})", "{}",
       "refused invalid_template at /defaults"},
      {"CT-5 output that is no text", R"({"template": "a", "output": true})", "{}",
       "refused invalid_template at /output"},
      {"CT-5 recover that is no node", R"({"template": "a", "recover": null})", "{}",
       "refused invalid_template at /recover"},
      {"CT-5 a template that is a number", R"({"template": ["a", 5]})", "{}",
       "refused invalid_template at /template/1"},
      {"CT-5 an empty list", "[]", "{}", "refused invalid_template"},
      {"CT-5 a failure that is unknown", R"({"template": "a", "failure": 1})", "{}",
       "refused invalid_failure at /failure"},
      {"CT-5 parallel on a leaf has no effect", R"({"template": "a", "parallel": true})", "{}",
       "[a]"},
  });
}

TEST(Preflight, FindsEveryErrorBeforeAnythingRuns) {
  expect_all({
      {"CT-8 a missing value in the second step", R"(["a", "b {x}"])", "{}",
       "refused missing_value at /1"},
      {"CT-8 one in a recover template", R"(["a", {"template": "b", "recover": ["c", "d {x}"]}])",
       "{}", "refused missing_value at /1/recover/1"},
      {"CT-8 one in the output of an inner node", R"([{"template": "a", "output": "o-{x}"}])", "{}",
       "refused missing_value at /0/output"},
      {"CT-8 none in a node that is skipped", R"([{"template": ["a {x}"], "when": "x"}, "b"])",
       "{}", "(-, [b])"},
  });
}

TEST(Words, BecomeCommandsOrAreRefused) {
  expect_all({
      {"CT-9 a value is one word", "say {x}", R"({"x": "a 'b c"})", R"([say 'a '\''b c'])"},
      {"CT-10 VT and FF separate", "\"a\\u000bb\\fc\"", "{}", "[a b c]"},
      {"CT-12 an empty pair of quotes is a word", "a ''", "{}", "[a '']"},
      {"CT-16 an open quote is refused", R"(["a", "it's"])", "{}",
       "refused unterminated_quote at /1"},
      {"CT-18 NUL in the template", R"("a b\u0000c")", "{}", "refused nul_byte"},
      {"CT-18 NUL in a default that is used",
       R"({"template": "a {x}", "defaults": {"x": "\u0000"}})", "{}",
       "refused nul_byte at /template"},
      {"CT-18 NUL in a default that is not used",
       R"({"template": "a", "defaults": {"x": "\u0000"}})", "{}", "[a]"},
      {"CT-18 NUL inside an array is escaped", "a {xs}", R"({"xs": ["\u0000"]})",
       R"([a '["\u0000"]'])"},
      {"CT-19 an empty first word", "'' a", "{}", "refused empty_command"},
      {"CT-19 a first word that a value empties", "{x} a", R"({"x": ""})", "refused empty_command"},
      {"CT-19 a conditional first word is not dropped", "{x?y:} a", "{}", "refused empty_command"},
  });
}

TEST(Placeholders, AreReadByTheirFirstOperator) {
  expect_all({
      {"CT-21 a pair of empty braces is text", "a {}", "{}", "[a '{}']"},
      {"CT-21 the innermost braces win", "a {{x}}", R"({"x": 1})", "[a '{1}']"},
      {"CT-22 names are case-sensitive", "a {x??lower} {X??upper}", R"({"X": "v"})", "[a lower v]"},
      {"CT-22 quotes do not switch them off", "a '{x} y'", R"({"x": 1})", "[a '1 y']"},
      {"CT-23 no blank before ??", "a '{x ?? y:z}'", "{}", "refused invalid_placeholder"},
      {"CT-23 blanks around a condition", "a '{ ! x ?b:c}'", "{}", "refused invalid_placeholder"},
      {"CT-23 are dropped around the name", "a '{ !x ?b :c}'", "{}", "[a 'b ']"},
      {"CT-23 a question mark in a default", "a {x=b?c:d}", "{}", "[a 'b?c:d']"},
      {"CT-23 leading zeros of an index", "a {xs[01]}", R"({"xs": [1, 2]})", "[a 2]"},
      {"CT-24 a hyphenated name", "a {next-page}", R"({"next-page": "p"})", "[a p]"},
      {"CT-24 a subtraction", R"({"repeat": 2, "template": "a {repeat-index}"})", "{}",
       "([a 2], [a 1])"},
      {"CT-25 a digit alone", "a {3}", "{}", "refused invalid_placeholder"},
      {"CT-25 a property", "a {a.b}", "{}", "refused invalid_placeholder"},
      {"CT-25 an unknown operator", "a {x*y}", "{}", "refused invalid_expression"},
      {"CT-25 an index that is open", "a {xs[1}", "{}", "refused invalid_placeholder"},
      {"CT-25 an index that is empty", "a {xs[]}", "{}", "refused invalid_placeholder"},
  });
}

TEST(Placeholders, HaveLineEndsInTheirParts) {
  SCOPED_TRACE("CT-26");
  EXPECT_EQ(plan_of(R"("a '{x??b\nc}' '{x?d:e\nf}'")").root.argv,
            (std::vector<std::string>{"a", "b\nc", "e\nf"}));
}

TEST(Resolution, TakesTheFirstSourceThatHasTheName) {
  expect_all({
      {"CT-27 value before default",
       R"({"template": "a {x=i}", "args": ["x=s"], "defaults": {"x": "d"}})", R"({"x": "v"})",
       "[a v]"},
      {"CT-27 default before shorthand",
       R"({"template": "a {x=i}", "args": ["x=s"], "defaults": {"x": "d"}})", "{}", "[a d]"},
      {"CT-27 shorthand before inline", R"({"template": "a {x=i}", "args": ["x=s"]})", "{}",
       "[a s]"},
      {"CT-28 generated names win over defaults",
       R"({"repeat": 1, "defaults": {"index": "9"}, "template": "a {index}"})", R"({"index": 7})",
       "([a 0])"},
      {"CT-29 null is not provided, false is", "a {x=b} {y=c}", R"({"x": null, "y": false})",
       "[a b false]"},
      {"CT-29 null in defaults is empty text", R"({"template": "a {x}", "defaults": {"x": null}})",
       "{}", "[a '']"},
      {"CT-30 a value behind a default is final",
       R"({"template": "a {d}", "defaults": {"d": "<{x}>"}})", R"({"x": "{y}", "y": "no"})",
       "[a '<{y}>']"},
      {"CT-30 an inline default is final", "a '{x=$(y)}'", R"({"y": "no"})", "[a '$(y)']"},
      {"CT-31 a default keeps its type",
       R"({"template": "a {d[1]}", "defaults": {"d": "{xs}", "xs": ["p", "q"]}})", "{}", "[a q]"},
      {"CT-31 missing behind ?? is an error",
       R"({"template": "a {d??x}", "defaults": {"d": "{y}"}})", "{}",
       "refused missing_value at /template"},
      {"CT-31 and behind when", R"({"template": "a", "when": "d", "defaults": {"d": "{y}"}})", "{}",
       "refused missing_value at /when"},
      {"CT-31 odd braces in a default are text",
       R"({"template": "a {d}", "defaults": {"d": "{x y} {1.5+1} {}"}})", "{}",
       "[a '{x y} {1.5+1} {}']"},
      {"CT-32 an unused cycle is no error",
       R"({"template": "a", "defaults": {"x": "{y}", "y": "{x}"}})", "{}", "[a]"},
      {"CT-32 a used one ends", R"({"template": "a {x}", "defaults": {"x": "{x}"}})", "{}",
       "refused recursion_limit at /template"},
      {"CT-33 several choices in one word", "a {x?b:}{y??} c", "{}", "[a c]"},
      {"CT-33 glued to text they stay", "a -{x?b:} c", "{}", "[a - c]"},
      {"CT-33 a plain empty value stays", "a {x} c", R"({"x": ""})", "[a '' c]"},
      {"CT-34 controls use the same lookup",
       R"({"template": "a", "when": "{d}", "defaults": {"d": "{x}"}})", R"({"x": "no"})", "-"},
      {"CT-35 not an array", "a {x[0]}", R"({"x": {"0": 1}})", "refused not_an_array"},
      {"CT-35 beyond the end", "a {x[18446744073709551616]}", R"({"x": [1]})",
       "refused index_out_of_range"},
      {"CT-35 a negative index", "a {x[i]}", R"({"x": [1], "i": -1})", "refused invalid_index"},
      {"CT-35 an index in digits", "a {x[i]}", R"({"x": [1, 2], "i": "01"})", "[a 2]"},
      {"CT-36 the command word is replaced", "{x}", R"({"x": "b"})", "[b]"},
  });
}

TEST(Resolution, NamesAnIndexAsItIsWritten) {
  struct Row {
    const char *name, *source, *values, *want;
  };
  const Row rows[] = {
      {"CT-35 a literal beyond 64 bits", "a {xs[99999999999999999999]}", R"({"xs": [1]})",
       "xs has 1 items, so there is none at 99999999999999999999"},
      {"CT-35 leading zeros", "a {xs[007]}", R"({"xs": [1]})",
       "xs has 1 items, so there is none at 007"},
      {"CT-35 a value beyond 64 bits", "a {xs[i]}", R"({"xs": [1], "i": "99999999999999999999"})",
       "xs has 1 items, so there is none at 99999999999999999999"},
      {"CT-35 a number", "a {xs[i]}", R"({"xs": [1], "i": 2.0})",
       "xs has 1 items, so there is none at 2"},
      {"CT-53 bound early",
       R"({"defaults": {"xs": [1]}, "template": [{"defaults": {"y": "{xs[99999999999999999999]}"},
        "template": "a {y}"}]})",
       "{}", "xs has 1 items, so there is none at 99999999999999999999"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Result<Plan> plan = compiled(row.source).expand(json(row.values).as_object(), {});
    ASSERT_FALSE(plan);
    EXPECT_EQ(render(plan.error()).message, row.want);
  }
}

TEST(Texts, HaveOneFormAndOneTruth) {
  expect_all({
      {"CT-37 numbers", "a {a} {b} {c} {d} {e}",
       R"({"a": 2.0, "b": 1e21, "c": 1e20, "d": 1e-7, "e": -0.0})",
       "[a 2 1e+21 100000000000000000000 1e-7 0]"},
      {"CT-37 64 bits are exact", "a {a} {b}",
       R"({"a": 18446744073709551615, "b": -9223372036854775808})",
       "[a 18446744073709551615 -9223372036854775808]"},
      {"CT-38 arrays and objects are JSON", "a {x?b:c} {x??} {y}",
       R"({"x": [{"ö": [1, null]}], "y": {}})", R"([a b '[{"ö":[1,null]}]' '{}'])"},
      {"CT-39 falsy values", "a {a?y:n}{b?y:n}{c?y:n}{d?y:n}{e?y:n}{f?y:n}",
       R"({"a": 0.0, "b": " FALSE ", "c": "\u00a0no", "d": "", "e": [], "f": null})", "[a nnnnnn]"},
      {"CT-39 truthy values", "a {a?y:n}{b?y:n}{c?y:n}{d?y:n}{e?y:n}",
       R"({"a": {}, "b": [0], "c": "off", "d": "0.0", "e": -1})", "[a yyyyy]"},
      {"CT-40 zero falls back", "a {x??5}", R"({"x": 0})", "[a 5]"},
  });
}

TEST(Defaults, AreInheritedAndBound) {
  expect_all({
      {"CT-52 a child's map is merged over the parent's",
       R"({"defaults": {"x": "1", "y": "2"}, "template": [{"defaults": {"y": "3"}, "template": "a {x} {y}"}, "b {y}"]})",
       "{}", "([a 1 3], [b 2])"},
      {"CT-52 labels are not inherited", R"({"label": "l", "template": ["a"]})", "{}", "l: ([a])"},
      {"CT-53 a child default of its own name means the parent's",
       R"({"defaults": {"m": "big"}, "template": [{"defaults": {"m": "{m}"}, "template": "a {m}"}]})",
       "{}", "([a big])"},
      {"CT-53 three levels of it",
       R"({"defaults": {"m": "big"}, "template": [{"defaults": {"m": "{m}"}, "template": [{"defaults": {"m": "{m}"}, "template": "a {m}"}]}]})",
       "{}", "(([a big]))"},
      {"CT-53 an inherited item",
       R"({"defaults": {"xs": ["p", "q"], "i": 1}, "template": [{"defaults": {"x": "{xs[i]}", "y": "{xs[0]}"}, "template": [{"defaults": {"xs": [], "i": 0}, "template": "a {x} {y}"}]}]})",
       "{}", "(([a q p]))"},
      {"CT-53 what is bound is resolved in the leaf",
       R"({"defaults": {"m": "{n}", "n": "1"}, "template": [{"defaults": {"k": "{m}"}, "template": [{"defaults": {"n": "2", "m": "x"}, "template": "a {k}"}]}]})",
       "{}", "(([a 2]))"},
      {"CT-53 a call-time value wins",
       R"({"defaults": {"m": "big"}, "template": [{"defaults": {"k": "{m}"}, "template": "a {k}"}]})",
       R"({"m": "v"})", "([a v])"},
      {"CT-53 an index outside saved from the one inside",
       R"({"repeat": 2, "template": [{"defaults": {"o": "{_index}"}, "template": [{"repeat": 2, "template": "a {o}{index}"}]}]})",
       "{}", "(((([a 000], [a 001]))), ((([a 010], [a 011]))))"},
      {"CT-54 a sibling counts before the parent",
       R"({"defaults": {"b": "old"}, "template": [{"defaults": {"a": "{b}", "b": "new"}, "template": "x {a}"}]})",
       "{}", "([x new])"},
      {"CT-54 in any order",
       R"({"defaults": {"b": "old"}, "template": [{"defaults": {"b": "new", "a": "{b}"}, "template": "x {a}"}]})",
       "{}", "([x new])"},
      {"CT-55 with text around it is late",
       R"({"defaults": {"b": "old"}, "template": [{"defaults": {"a": "<{b}>"}, "template": [{"defaults": {"b": "leaf"}, "template": "x {a}"}]}]})",
       "{}", "(([x '<leaf>']))"},
      {"CT-45 shorthand is inherited",
       R"({"args": ["x=1"], "template": [{"args": ["y"], "template": "a {x}"}]})", "{}", "([a 1])"},
  });
}

}  // namespace
}  // namespace helve::tmpl
