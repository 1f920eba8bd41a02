// Hostile input, limits, remarks and risks.
#include <gtest/gtest.h>

#include "base/text.h"
#include "base/texts.h"
#include "template/detail/risk.h"
#include "template/parts.h"
#include "template/testing/describe.h"

namespace helve::tmpl {
namespace {

std::string refusal_of(const Json& source, const Options& options = {}) {
  const Result<Template> made = Template::compile(source, options);
  return made ? "compiled" : error_class(made.error());
}

Json nested(size_t levels) {
  Json node = "a";
  for (size_t i = 0; i < levels; ++i) {
    JsonArray around;
    around.push_back(std::move(node));
    node = std::move(around);
  }
  return node;
}

TEST(Limits, HoldForHostileTemplates) {
  SCOPED_TRACE("CT section 17");
  EXPECT_EQ(refusal_of(Json(repeated("a", 10'000'000))), "limit_exceeded");
  EXPECT_EQ(refusal_of(Json(repeated("a ", 5'000))), "limit_exceeded") << "words";
  EXPECT_EQ(refusal_of(nested(31)), "compiled");
  EXPECT_EQ(refusal_of(nested(32)), "limit_exceeded");
  EXPECT_EQ(refusal_of(nested(10'000)), "limit_exceeded");
  EXPECT_EQ(refusal_of(Json("a {" + repeated("(", 64) + "1" + repeated(")", 64) + "}")),
            "compiled");
  EXPECT_EQ(refusal_of(Json("a {" + repeated("(", 65) + "1" + repeated(")", 65) + "}")),
            "limit_exceeded");
  JsonArray many(1'000, Json("a"));
  EXPECT_EQ(refusal_of(many), "limit_exceeded") << "nodes, the list counted";
  JsonArray large(6, Json("a '" + repeated("{x}", 1'000) + "'"));
  EXPECT_EQ(refusal_of(large, {.limits = {.total_bytes = 16 * 1024}}), "limit_exceeded");
  EXPECT_EQ(refusal_of(large, {.limits = {.total_bytes = 20 * 1024}}), "compiled");
}

TEST(Limits, AllowAMillionPlaceholders) {
  JsonArray leaves(50, Json("a '" + repeated("{x}", 20'000) + "'"));
  const Result<Template> made = Template::compile(leaves);
  ASSERT_TRUE(made);
  const Result<Plan> plan = made->expand({{"x", "1"}}, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->root.children.back().argv.at(1).size(), 20'000U);
}

TEST(Limits, HoldForWhatAPlanGrowsTo) {
  SCOPED_TRACE("CT-81");
  EXPECT_EQ(expanded(R"({"repeat": 1000, "template": "a"})").size(), 5'000U);
  EXPECT_EQ(expanded(R"({"repeat": 1001, "template": "a"})"), "refused limit_exceeded at /repeat");
  EXPECT_EQ(expanded(R"({"repeat": 100, "template": {"repeat": 100, "template": "a"}})"),
            "refused limit_exceeded at /template/repeat");
  EXPECT_EQ(expanded(R"({"repeat": "99999999999999999999", "template": "a"})"),
            "refused limit_exceeded at /repeat");
  const Template copies = compiled(R"({"repeat": 1000, "template": "a {x}"})");
  const Result<Plan> large = copies.expand({{"x", repeated("y", 100'000)}}, {});
  ASSERT_FALSE(large);
  EXPECT_EQ(describe(large.error()), "refused limit_exceeded at /template");
  const Template word = compiled("a " + repeated("{x}", 20'000));
  EXPECT_FALSE(word.expand({{"x", repeated("y", 1'000'000)}}, {}));
}

// "made", or what is refused, where and in which words.
std::string outcome(std::string_view source, std::string_view x) {
  const Result<Plan> plan = compiled(source).expand({{"x", x}}, {});
  return plan ? "made" : describe(plan.error()) + ": " + render(plan.error()).message;
}

TEST(Limits, HoldForOneArgument) {
  struct Row {
    const char *name, *source;
    size_t bytes;
    const char* want;
  };
  const Row rows[] = {
      {"CT-8 the longest that the system takes", "a {x}", 131'071, "made"},
      {"CT-8 one byte more", "a {x}", 131'072,
       "refused limit_exceeded: bytes of one argument, as the system has it: more than 131071"},
      {"CT-8 in a recover template", R"({"template": "a", "retry": 2, "recover": "b {x}"})",
       140'000,
       "refused limit_exceeded at /recover: bytes of one argument, as the system has "
       "it: more than 131071"},
      {"CT-94 a result as long", R"({"template": "a", "output": "{x}"})", 131'071, "made"},
      {"CT-94 a longer one", R"({"template": "a", "output": "{x}"})", 131'072,
       "refused limit_exceeded at /output: bytes of the result that \"output\" selects: more "
       "than 131071"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(outcome(row.source, repeated("y", row.bytes)), row.want);
  }
}

TEST(Limits, HoldForAttempts) {
  struct Row {
    const char *name, *source, *want;
  };
  const Row rows[] = {
      {"CT-88 a million attempts", R"({"retry": 1000, "template": {"retry": 1000,
        "template": "a"}})",
       "made"},
      {"CT-88 of every leaf", R"({"retry": 1000, "template": ["b", {"retry": 1000,
        "template": "a"}]})",
       "refused limit_exceeded at /template/1: attempts that retry could make in the whole run: "
       "more than 1000000"},
      {"CT-88 in every instance", R"({"repeat": 101, "retry": 10000, "template": "a"})",
       "refused limit_exceeded: attempts that retry could make in the whole run: more than "
       "1000000"},
      {"CT-88 beyond 64 bits", R"({"retry": 9000000000000000000, "template": [[{
        "retry": 9000000000000000000, "template": "a"}]]})",
       "refused limit_exceeded at /template/0/0: attempts that retry could make in the whole run: "
       "more than 1000000"},
      {"CT-89 recover steps count, too", R"({"retry": 500001, "recover": "b", "template": "a"})",
       "refused limit_exceeded at /recover: attempts that retry could make in the whole run: more "
       "than 1000000"},
      {"CT-89 but not after the last attempt",
       R"({"retry": 500000, "recover": "b", "template": "a"})", "made"},
      {"CT-68 what is skipped makes none",
       R"([{"retry": 9000000, "when": false, "template": "a"}])", "made"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(outcome(row.source, ""), row.want);
  }
}

// Five hops of a thousand references each would be a thousand to the fifth.
TEST(Limits, HoldForDefaultsThatFanOut) {
  JsonObject defaults = {{"f", ""}};
  const std::string names = "abcdef";
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    defaults.emplace(names.substr(i, 1), repeated("{" + names.substr(i + 1, 1) + "}", 1'000));
  }
  const Result<Template> made = Template::compile(
      JsonObject{{"template", "x {a}"}, {"defaults", defaults}}, {.limits = {.words = 100}});
  ASSERT_TRUE(made);
  const Result<Plan> plan = made->expand({}, {});
  ASSERT_FALSE(plan);
  EXPECT_EQ(error_class(plan.error()), "limit_exceeded");
}

TEST(HostileBytes, PassOrAreRefusedButNeverBreakAnything) {
  const Result<Template> made = Template::compile(Json("a \xff\xc3 {x=\x80}"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->expand({}, {})->root.argv, (std::vector<std::string>{"a", "\xff\xc3", "\x80"}));
  const Result<Template> bad = Template::compile(Json("a {\xff}"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(render(bad.error()).message,
            "{\uFFFD} in the word {\uFFFD} at byte 2 is not a placeholder");
}

TEST(Errors, NameWordAndOffset) {
  SCOPED_TRACE("CT-25");
  const Result<Template> bad = Template::compile(json(R"({"template": ["a", "b 'c d' x{a.b}"]})"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(write_json(bad.error().details),
            R"({"word":"x{a.b}","offset":9,"pointer":"/template/1"})");
}

TEST(Errors, PointAtThePlaceholderItself) {
  struct Row {
    const char *name, *source;
    size_t offset;
  };
  const Row rows[] = {
      {"CT-25 in a quoted word", "a 'b {x} {a.b}'", 9},
      {"CT-25 behind an escape", "a b\\ {a.b}", 5},
      {"CT-25 with quotes in its midst", "a x{a'.'b}", 2},
      {"CT-25 the first of two", "a {x} {a.b} {a.b}", 6},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Result<Template> bad = Template::compile(Json(row.source));
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().details.at("offset").to_number<size_t>(), row.offset);
  }
}

TEST(Errors, SayWhereThePlaceholderStands) {
  struct Row {
    const char *name, *source, *want;
  };
  const Row rows[] = {
      {"CT-25 in a word", "a x{3}y", "{3} in the word x{3}y at byte 3 is not a placeholder"},
      {"CT-25 an expression", "a {x*y}",
       "{x*y} in the word {x*y} at byte 2 is not arithmetic that can be read"},
      {"CT-58 a sum that is open", "a b {index+}",
       "{index+} in the word {index+} at byte 4 is not arithmetic that can be read"},
      {"CT-25 in a control", R"({"template": "a", "timeout": "1{3}"})",
       "{3} in the text 1{3} at byte 1 is not a placeholder"},
      {"CT-25 in the output", R"({"template": "a", "output": "to {a.b}"})",
       "{a.b} in the text to {a.b} at byte 3 is not a placeholder"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const bool is_json = std::string_view(row.source).starts_with("{\"");
    const Result<Template> bad = Template::compile(is_json ? json(row.source) : Json(row.source));
    ASSERT_FALSE(bad);
    EXPECT_EQ(render(bad.error()).message, row.want);
  }
  const Template sum = compiled("a {index+1}");
  const Result<Plan> late = sum.expand({{"index", "x"}}, {});
  ASSERT_FALSE(late);
  EXPECT_EQ(render(late.error()).message,
            "{index} in the word {index+1} at byte 2 is not arithmetic that can be read");
}

TEST(Words, KnowTheirQuotesAndOffsets) {
  SCOPED_TRACE("CT-12");
  const auto words = split_words(" a 'b c'd  \"\"");
  ASSERT_TRUE(words);
  EXPECT_EQ(*words, (std::vector<Word>{{"a", false, 1}, {"b cd", true, 3}, {"", true, 11}}));
}

std::string remarks_of(std::string_view source) {
  std::vector<std::string> out;
  for (const Finding& finding : compiled(source).findings()) {
    EXPECT_EQ(finding.severity, Finding::Severity::kWarning);
    EXPECT_FALSE(render(finding.what).next.empty());
    out.push_back(finding.what.rule.substr(9) + " " + finding.pointer);
  }
  return join(out, ", ");
}

TEST(Remarks, WarnWithoutRefusing) {
  struct Row {
    const char *name, *source, *want;
  };
  const Row rows[] = {
      {"CT-4 a retired field", R"({"template": "a", "pipe": true})", "retired_field /pipe"},
      {"CT-4 a misspelt field", R"({"template": "a", "retyr": 2})", "unknown_field /retyr"},
      {"CT-4 a field of the host's own", R"({"template": "a", "description": "x"})", ""},
      {"CT-20 a backslash before a letter", R"("a \\d")", "lint_backslash "},
      {"CT-20 in double quotes too", R"({"template": "a \"\\d\""})", "lint_backslash /template"},
      {"CT-20 not in single quotes", R"("a '\\d'")", ""},
      {"CT-20 not before a quote or a blank", R"("a \\' \\  \\\\")", ""},
      {"CT-20 torn braces", "a {x=b c}", "lint_braces "},
      {"CT-20 closed before it is opened", "a }x{", "lint_braces "},
      {"CT-20 pairs of pairs", "a {{b}{}}", ""},
      {"CT-20 a blank that is not ASCII", "\"b c\u00a0d\"", "lint_blank "},
      {"CT-20 not in quotes", "\"b 'c\u00a0d'\"", ""},
      {"CT-36 a program from a value", "{x} -- {y}", "dynamic_executable "},
      {"CT-98 a value that may be an option", "a {x}", "option_injection "},
      {"CT-98 not behind --", "a -- {x}", ""},
      {"CT-98 not as a part of a word", "a --x={x}", ""},
      {"CT-98 not where it cannot be one", "a {x:bool} {y:enum(a)} {z:int} {n:number}", ""},
      {"CT-98 an item that is an option", "a {y:enum(a,-b)}", "option_injection "},
      {"CT-98 declared behind the use", R"({"template": "a {x}", "args": ["x:int"]})", ""},
      {"CT-98 not behind a script, where all is data", "sh -c 'echo \"$1\"' sh {x}",
       "risk_shell , risk_eval "},
      {"CT-98 not behind the format of printf", "printf 'a %s' {x}", ""},
      {"CT-98 but a format from a value", "printf {x}", "option_injection "},
      {"CT-98 the program is none", "{x:path}", "dynamic_executable "},
      {"CT-99 a risk is a remark on its node", R"({"template": ["a", {"template": "sh x"}]})",
       "risk_shell /template/1/template"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(remarks_of(row.source), row.want);
  }
}

TEST(Remarks, LeaveTheHostItsFields) {
  const Options options{.host_fields = {"mode", "values"}};
  EXPECT_TRUE(compiled(R"({"template": "a", "mode": 1, "values": 2})", options).findings().empty());
}

// CT-99: the node, what is trusted, one mitigation.
TEST(Remarks, NameTheNodeAndAWayOut) {
  const Template made = compiled(R"({"template": ["bash -c x"]})");
  const Rendered rendered = render(made.findings().at(1).what);
  EXPECT_EQ(
      rendered.message,
      "/template/0 lets bash run program text from its arguments: that text is trusted as code");
  EXPECT_EQ(rendered.next, "move the text into a script file and pass values as arguments");
}

TEST(Risks, AreReadFromTheWords) {
  struct Row {
    const char *name, *source, *want;
  };
  const Row rows[] = {
      {"CT-97 a shell", "/bin/BASH x", "shell"},
      {"CT-97 a script", "./run.sh", "shell"},
      {"CT-97 eval in a cluster", "bash -lc x", "shell eval"},
      {"CT-97 node", "node --eval x", "eval"},
      {"CT-97 node with the text in the word", "node --eval=x", "eval"},
      {"CT-97 perl", "perl -ne x", "eval"},
      {"CT-97 python without a flag", "python3 x.py", ""},
      {"CT-97 removing", "rm -rf x", "destructive_fs"},
      {"CT-97 removing a value", "rm {x}", "destructive_fs"},
      {"CT-97 removing one file", "rm x", ""},
      {"CT-97 copying to the root", "cp a /b", "broad_fs_write"},
      {"CT-97 copying within", "cp a b", ""},
      {"CT-97 rsync", "rsync a ~/b", "broad_fs_write network"},
      {"CT-97 git push", "git -C d push", "external_side_effect network"},
      {"CT-97 git --git-dir", "git --git-dir y push", "external_side_effect network"},
      {"CT-97 git --work-tree", "git --work-tree y -c a=b push", "external_side_effect network"},
      {"CT-97 git --namespace", "git --namespace=y push", "external_side_effect network"},
      {"CT-97 npm --prefix", "npm --prefix d publish", "external_side_effect network"},
      {"CT-97 git log", "git log push", ""},
      {"CT-97 publishing", "npm publish", "external_side_effect network"},
      {"CT-97 waiting", "tail -nf x", "long_running"},
      {"CT-97 serving", "vite --watch", "long_running"},
      {"CT-97 one system's", "xdg-open x", "platform_specific"},
      {"CT-97 a secret's program", "gpg x", "secret_touching"},
      {"CT-97 a secret word", "x --api-key {k}", "secret_touching"},
      {"CT-97 a word that only holds one", "x tokenize", ""},
      {"CT-97 .env", "x config/.env", "secret_touching"},
      {"CT-97 .environment", "x .environment", ""},
      {"CT-98 sudo", "sudo -u me rm -rf /", "destructive_fs"},
      {"CT-98 env with assignments", "env -i A=b bash -c x", "shell eval"},
      {"CT-98 timeout", "timeout -k 5 10 curl x", "network"},
      {"CT-98 several", "nohup nice -n 5 xargs -n 1 rm -f", "destructive_fs"},
      {"CT-98 a long option with a word of its own", "timeout --signal KILL 5 rm -rf /",
       "destructive_fs"},
      {"CT-98 sudo --user", "sudo --user me rm -rf /", "destructive_fs"},
      {"CT-98 at the end of a cluster", "sudo -nu me rm -rf /", "destructive_fs"},
      {"CT-98 an abbreviation", "timeout --sig KILL 5 curl x", "network"},
      {"CT-98 nice --adjustment", "nice --adjustment 5 bash -c x", "shell eval"},
      {"CT-98 with its value in the word", "nice --adjustment=5 bash -c x", "shell eval"},
      {"CT-98 xargs --max-args", "xargs --max-args 1 rm -rf", "destructive_fs"},
      {"CT-98 env --unset", "env --unset X bash -c x", "shell eval"},
      {"CT-98 env --chdir", "env --chdir /x bash -c y", "shell eval"},
      {"CT-98 stdbuf --output", "stdbuf --output L bash x", "shell"},
      {"CT-98 env -S", "env -S 'bash -c x'", "shell eval"},
      {"CT-98 env -S in one word", "env '-Sbash -c x'", "shell eval"},
      {"CT-98 env -S with options in its text", "env -u A -vS '-i B=c bash' -c x", "shell eval"},
      {"CT-98 env --split-string", "env '--split-string=rm -rf' x", "destructive_fs"},
      {"CT-98 env -S in env -S", "env -S 'env -S \"rm -rf\"' x", "destructive_fs"},
      {"CT-98 env -S without a text", "env -S", ""},
      {"CT-98 env -S with an open quote", "env -S \"it's\" curl", "network"},
      {"CT-98 deno eval", "deno eval x", "eval"},
      {"CT-98 a launcher alone", "env", ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto words = split_words(row.source);
    ASSERT_TRUE(words);
    std::vector<std::string> labels;
    for (const Risk& risk : risks_of(*words)) labels.emplace_back(risk.label);
    EXPECT_EQ(join(labels, " "), row.want);
  }
}

TEST(Risks, OfATreeComeInOneOrder) {
  SCOPED_TRACE("CT-97");
  const Template made = compiled(R"([{"template": "curl x", "recover": "sh y"}, "rm -r z"])");
  EXPECT_EQ(made.risks(),
            (std::vector<std::string>{"risk.shell", "risk.destructive_fs", "risk.network"}));
}

// Every rule that is refused somewhere has its two sentences.
TEST(Texts, StandInPairs) {
  for (const std::string_view key : text_keys()) {
    if (!key.starts_with("refused.template.")) continue;
    EXPECT_TRUE(has_text("next." + std::string(key.substr(8)))) << key;
  }
}

TEST(EmptyWords, AreDroppedOnRequest) {
  SCOPED_TRACE("CT-33, DV-9");
  EXPECT_EQ(expanded("a {x} '' b", R"({"x": ""})", {.drop_empty_words = true}), "[a b]");
  EXPECT_EQ(expanded("a {x} '' b", R"({"x": ""})"), "[a '' '' b]");
}

}  // namespace
}  // namespace helve::tmpl
