// Repeat, arithmetic, conditions, numeric controls, labels, output.
#include <gtest/gtest.h>

#include "template/parts.h"
#include "template/testing/describe.h"

namespace helve::tmpl {
namespace {

TEST(Repeat, MakesInstances) {
  expect_all({
      {"CT-56 names and padding", R"({"repeat": 2, "template": "a {index}{prev}{next}{__repeat}"})",
       "{}", "([a 011002], [a 100002])"},
      {"CT-56 six underscores", R"({"repeat": 1, "template": "a {______index} {_______index=x}"})",
       "{}", "([a 0000000 x])"},
      {"CT-57 a whole float", R"({"repeat": 2.0, "template": "a"})", "{}", "([a], [a])"},
      {"CT-57 the length of a typed array",
       R"({"args": ["xs:array"], "repeat": "xs.length", "template": "a {xs[index]}"})",
       R"({"xs": "[\"p\", \"q\"]"})", "([a p], [a q])"},
      {"CT-57 the node's own default counts",
       R"([{"defaults": {"xs": "{ys}", "ys": [1]}, "repeat": "{xs.length}", "template": "a"}])",
       "{}", "(([a]))"},
      {"CT-57 an empty array skips", R"([{"repeat": "{xs.length}", "template": "a"}])",
       R"({"xs": []})", "(-)"},
      {"CT-57 other properties", R"({"repeat": "{xs.size}", "template": "a"})", R"({"xs": []})",
       "refused invalid_repeat at /repeat"},
      {"CT-57 a missing array", R"([{"repeat": "{xs.length}", "template": "a"}])", "{}",
       "refused missing_value at /0/repeat"},
      {"CT-58 blanks do not join", R"({"repeat": 1, "template": "a '{1 2+index}'"})", "{}",
       "refused invalid_expression at /template"},
      {"CT-59 the smallest number", R"({"repeat": 1, "template": "a {0-9223372036854775807-1}"})",
       "{}", "([a -9223372036854775808])"},
      {"CT-59 by -1 is too large", "a {(0-9223372036854775807-1)/(0-1)}", "{}", "refused overflow"},
      {"CT-59 modulo -1 is zero", "a {(0-9223372036854775807-1)%(0-1)}", "{}", "[a 0]"},
      {"CT-59 a sum that is too large", "a {9223372036854775807+1}", "{}", "refused overflow"},
      {"CT-59 division by a constant zero is found when loading", "a {1/0}", "{}",
       "refused division_by_zero"},
      {"CT-60 a padded negative", R"({"repeat": 1, "template": "a {__(index-5)}"})", "{}",
       "([a -05])"},
      {"CT-61 outside, the names are ordinary", "a {index} {index+1}", R"({"index": "41"})",
       "[a 41 42]"},
      {"CT-61 and must hold integers", "a {index+1}", R"({"index": "x"})",
       "refused invalid_expression"},
      {"CT-61 numbers too", "a {index+1}", R"({"index": 1.5})", "refused invalid_expression"},
      {"CT-61 missing ones are missing", "a {index+1}", "{}", "refused missing_value"},
      {"CT-62 parallel instances of a parallel list",
       R"({"parallel": true, "repeat": 2, "template": ["a", "b"]})", "{}",
       "{{[a] | [b]} | {[a] | [b]}}"},
      {"CT-62 wrapped in an object it is a sequence",
       R"({"parallel": true, "repeat": 2, "template": {"template": ["a", "b"]}})", "{}",
       "{(([a], [b])) | (([a], [b]))}"},
      {"CT-63 when and label per instance",
       R"({"repeat": 2, "when": "{index}", "label": "n{index}", "template": "a"})", "{}",
       "(n0: -, n1: [a])"},
      {"CT-63 recover in the instance's scope",
       R"({"repeat": 2, "retry": 2, "recover": "r {index}", "template": "a"})", "{}",
       "([a] recover [r 0], [a] recover [r 1])"},
      {"CT-64 an inner repeat shadows",
       R"({"repeat": 2, "template": [{"repeat": 1, "template": "a {index}{repeat}"}]})", "{}",
       "((([a 01])), (([a 01])))"},
  });
}

TEST(Repeat, GroupsItsInstancesWithTheFailureAlone) {
  const Plan plan = plan_of(
      R"([{"repeat": 2, "failure": "root", "retry": 3, "timeout": 5, "label": "l", "template": "a"}])");
  const Step& group = plan.root.children.at(0);
  SCOPED_TRACE("CT-62");
  EXPECT_EQ(group.failure, Failure::kRoot);
  EXPECT_EQ(group.retry, 1);
  EXPECT_EQ(group.timeout, Duration(0));
  EXPECT_EQ(group.label, "");
  EXPECT_EQ(group.path, "template[0]");
  const Step& second = group.children.at(1);
  EXPECT_EQ(second.path, "template[0]#1");
  EXPECT_EQ(second.repeat_index, 1);
  EXPECT_EQ(second.retry, 3);
  EXPECT_EQ(second.failure, Failure::kRoot);
  EXPECT_EQ(second.timeout, std::chrono::milliseconds(5));
  EXPECT_EQ(plan.leaves, 2U);
}

TEST(Plan, NamesPlacesByTheirPath) {
  const Plan plan = plan_of(
      R"(["a", {"repeat": 1, "template": [{"template": {"template": "b"}, "recover": "c"}]}])");
  const Step& instance = plan.root.children.at(1).children.at(0);
  EXPECT_EQ(plan.root.path, "");
  EXPECT_EQ(instance.path, "template[1]#0");
  EXPECT_EQ(instance.children.at(0).path, "template[1]#0.template[0]");
  EXPECT_EQ(instance.children.at(0).children.at(0).path, "template[1]#0.template[0].template");
  EXPECT_EQ(instance.children.at(0).recover->path, "template[1]#0.template[0].recover");
  EXPECT_EQ(plan.leaves, 2U) << "recover steps are not counted";
}

TEST(When, IsABooleanANameOrOnePlaceholder) {
  const Expansion cases[] = {
      {"CT-65 true", "true", "{}", "[a]"},
      {"CT-65 false", "false", "{}", "-"},
      {"CT-65 empty is false", R"("  ")", "{}", "-"},
      {"CT-65 a name", R"(" x ")", R"({"x": 1})", "[a]"},
      {"CT-65 a negated name that is missing", R"("!x")", "{}", "[a]"},
      {"CT-65 a placeholder that is missing", R"("{x}")", "{}", "-"},
      {"CT-65 a fallback", R"("{x??yes}")", "{}", "[a]"},
      {"CT-65 a bad index is an error", R"("{x[3]}")", R"({"x": [1]})",
       "refused index_out_of_range at /when"},
      {"CT-65 arithmetic", R"("{1-1}")", "{}", "-"},
      {"CT-66 the word true", R"("true")", "{}", "[a]"},
      {"CT-66 the word false is no flag", R"("false")", R"({"false": 1})", "-"},
      {"CT-66 !true", R"("!true")", "{}", "-"},
      {"CT-66 !false", R"("!false")", "{}", "[a]"},
      {"CT-66 a negated placeholder", R"("!{x}")", "{}", "refused invalid_when at /when"},
      {"CT-66 text around one", R"("x{y}")", "{}", "refused invalid_when at /when"},
      {"CT-66 two of them", R"("{x}{y}")", "{}", "refused invalid_when at /when"},
      {"CT-66 a number", "1", "{}", "refused invalid_when at /when"},
      {"CT-66 null", "null", "{}", "refused invalid_when at /when"},
  };
  for (const Expansion& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string node = R"({"template": "a", "when": )" + std::string(c.source) + "}";
    EXPECT_EQ(expanded(node, c.values), c.want);
  }
}

// CT-67, CT-68: a skipped step carries its name and nothing to do.
TEST(When, LeavesASkippedStepEmpty) {
  const Plan plan = plan_of(R"([{"label": "l", "when": false, "delay": 5, "template": "a {x}"}])");
  const Step& step = plan.root.children.at(0);
  EXPECT_EQ(step.skip, Step::Skip::kWhen);
  EXPECT_EQ(step.label, "l");
  EXPECT_EQ(step.delay, Duration(0));
  EXPECT_TRUE(step.argv.empty());
  EXPECT_EQ(plan.leaves, 0U);
}

TEST(Controls, AreDecimalNumbers) {
  struct Row {
    const char *name, *member, *value, *values;
    std::int64_t want;  // nanoseconds, or attempts; -1: refused
  };
  const Row rows[] = {
      {"CT-6 a number", "timeout", "250", "{}", 250'000'000},
      {"CT-6 a fraction", "delay", "0.5", "{}", 500'000},
      {"CT-6 a text", "timeout", R"(" 1500.25 ")", "{}", 1'500'250'000},
      {"CT-6 a placeholder", "timeout", R"("{t}")", R"({"t": 3})", 3'000'000},
      {"CT-6 empty is not set", "timeout", R"("{t??}")", "{}", 0},
      {"CT-6 negative", "timeout", "-1", "{}", -1},
      {"CT-6 hexadecimal", "timeout", R"("0x10")", "{}", -1},
      {"CT-6 an exponent", "delay", R"("1e3")", "{}", -1},
      {"CT-6 no digit before the dot", "delay", R"(".5")", "{}", -1},
      {"CT-6 a boolean", "delay", "true", "{}", -1},
      {"CT-6 null", "timeout", "null", "{}", -1},
      {"CT-6 from a value, no number", "delay", R"("{t}")", R"({"t": "soon"})", -1},
      {"CT-6 beyond 31 bits", "timeout", "3000000000", "{}", 3'000'000'000'000'000},
      {"CT-91 a positive one bounds", "timeout", "0.0000001", "{}", 1},
      {"CT-91 as a text too", "timeout", R"("0.0000001")", "{}", 1},
      {"CT-91 zero is none", "timeout", R"("0.0000000")", "{}", 0},
      {"CT-91 a hundred years at most", "timeout", "9000000000000000000", "{}",
       3'153'600'000'000'000'000},
      {"CT-6 beyond 64 bits", "timeout", R"("99999999999999999999")", "{}", -1},
      {"CT-6 attempts", "retry", R"("3")", "{}", 3},
      {"CT-6 attempts as a float", "retry", "3.0", "{}", 3},
      {"CT-6 half an attempt", "retry", "1.5", "{}", -1},
      {"CT-6 no attempt", "retry", "0", "{}", -1},
      {"CT-6 attempts not set", "retry", R"("")", "{}", 1},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string member(row.member);
    const std::string source = R"({"template": "a", ")" + member + R"(": )" + row.value + "}";
    if (row.want < 0) {
      EXPECT_EQ(expanded(source, row.values), "refused invalid_" + member + " at /" + member);
      continue;
    }
    const Step step = plan_of(source, row.values).root;
    const std::int64_t got = member == "retry"     ? step.retry
                             : member == "timeout" ? step.timeout.count()
                                                   : step.delay.count();
    EXPECT_EQ(got, row.want);
  }
}

TEST(Label, IsFilledInAndFlattened) {
  const Expansion cases[] = {
      {"CT-78 replaced", "l {x}", R"({"x": 1})", "l 1"},
      {"CT-78 left literal if that fails", "l {x} {a.b} {y}", R"({"y": 2})", "l {x} {a.b} 2"},
      {"CT-78 controls become one space", "a\\n\\u0000\\tb", "{}", "a b"},
      {"CT-78 of a value too", "{x}", R"({"x": "a\n--- branch: b"})", "a --- branch: b"},
      {"CT-78 a blank one counts as none", " \\n ", "{}", ""},
  };
  for (const Expansion& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string source = R"({"template": "a", "label": ")" + std::string(c.source) + R"("})";
    EXPECT_EQ(plan_of(source, c.values).root.label, c.want);
  }
}

TEST(Label, IsCutWhereItIsLong) {
  const std::string ten = "0123456789";
  struct Row {
    const char *name, *label;
    Json value;
    std::string want;
  };
  const Row rows[] = {
      {"CT-78 as long as it may be", "{x}", Json(repeated(ten, 100)), repeated(ten, 100)},
      {"CT-78 longer", "{x}", Json(repeated(ten, 101)), repeated(ten, 99) + "0123456…"},
      {"CT-78 at a character", "{x}", Json("a" + repeated("ö", 600)),
       "a" + repeated("ö", 498) + "…"},
      {"CT-78 after several places", "l {x}{x} {y}", Json(repeated(ten, 60)),
       "l " + repeated(ten, 99) + "01234…"},
      {"CT-78 of an array", "{x}", JsonArray(1'000, Json("ab")),
       "[" + repeated("\"ab\",", 199) + "\"…"},
      {"CT-38 of a short one", "{x}", json(R"([[], {}, {"a": [1e20, 1.5]}, "ö\n", null, true])"),
       R"([[],{},{"a":[1e+20,1.5]},"ö\n",null,true])"},
      {"CT-78 of a long name", "{x}", JsonObject{{repeated(ten, 200), 1}},
       "{\"" + repeated(ten, 99) + "01234…"},
      {"CT-78 blanks beyond count, too", "{x}.", Json(repeated(" ", 2'000)), ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Template made = compiled(write_json(JsonObject{{"template", "a"}, {"label", row.label}}));
    const Result<Plan> plan = made.expand({{"x", row.value}}, {});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->root.label, row.want);
  }
}

TEST(Label, TakesLittleRoomInEveryInstance) {
  SCOPED_TRACE("CT-78");
  const std::string literal = repeated("l", 60'000) + "{a}{a??}{a?" + repeated("y", 60'000) + ":}";
  const Template made = compiled(write_json(JsonObject{
      {"repeat", 300}, {"parallel", true}, {"label", "{a}" + literal}, {"template", "true"}}));
  const Result<Plan> plan = made.expand({{"a", repeated("é", 500'000)}}, {});
  ASSERT_TRUE(plan);
  for (const Step& step : plan->root.children) ASSERT_LE(step.label.capacity(), 8'000U);
}

TEST(Output, OfAnInnerNodeIsCut) {
  SCOPED_TRACE("CT-95");
  const Template made = compiled(R"([{"template": "a", "output": "o-{x}-{x}"}])");
  const Result<Plan> plan = made.expand({{"x", repeated("y", 1'000'000)}}, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->root.children.at(0).output, "o-" + repeated("y", 4'091) + "…");
}

TEST(Output, SelectsTheResult) {
  struct Row {
    const char *name, *output, *values, *want;
    bool is_artifact;
  };
  const Row rows[] = {
      {"CT-94 stdout", "stdout", "{}", "stdout", false},
      {"CT-94 empty is stdout", "", "{}", "stdout", false},
      {"CT-94 a name", "p", R"({"p": "/x"})", "text /x", true},
      {"CT-94 a placeholder", "{p}", R"({"p": "/x"})", "text /x", true},
      {"CT-94 text", "made {p}!", R"({"p": "/x"})", "text made /x!", false},
      {"CT-95 a name that is no path", "q", R"({"q": 5, "p": ""})", "text 5", false},
      {"CT-94 unresolvable", "z", R"({"p": ""})", "refused missing_value at /output", false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const std::string source =
        R"({"args": ["p:path="], "template": "a", "output": ")" + std::string(row.output) + R"("})";
    const Result<Plan> plan = compiled(source).expand(json(row.values).as_object(), {});
    if (!plan) {
      EXPECT_EQ(describe(plan.error()), row.want);
      continue;
    }
    const Selected& selected = plan->selected;
    EXPECT_EQ(selected.is_stdout ? "stdout" : "text " + selected.text, row.want);
    EXPECT_EQ(selected.is_artifact, row.is_artifact);
  }
}

TEST(Output, OfInnerNodesGoesToTheReport) {
  const Plan plan = plan_of(R"([{"template": "a", "output": "o-{x}"}])", R"({"x": 1})");
  SCOPED_TRACE("CT-95");
  EXPECT_TRUE(plan.selected.is_stdout);
  EXPECT_EQ(plan.root.children.at(0).output, "o-1");
}

TEST(Output, OfARepeatedRootIsOutsideItsInstances) {
  const Plan plan =
      plan_of(R"({"repeat": 2, "template": "a", "output": "{index}"})", R"({"index": "mine"})");
  EXPECT_EQ(plan.selected.text, "mine");
}

TEST(CommandWord, IsResolvedOnce) {
  struct Row {
    const char *name, *word, *home, *want;
  };
  const Row rows[] = {
      {"CT-70 a plain word", "ls", "/home/u", "ls"},
      {"CT-70 relative", "./x/../bin/a", "/home/u", "/proj/bin/a"},
      {"CT-70 absolute", "/usr/bin/a", "/home/u", "/usr/bin/a"},
      {"CT-70 the home itself", "~", "/home/u", "/home/u"},
      {"CT-70 below home, lexically", "~/a/../b", "/home/u", "/home/u/b"},
      {"CT-70 home unknown", "~/b", "", "/proj/~/b"},
      {"CT-70 another's home is literal", "~bob/b", "/home/u", "/proj/~bob/b"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(resolve_program(row.word, "/proj", row.home), row.want);
  }
}

}  // namespace
}  // namespace helve::tmpl
