// Remarks about templates that compile, but hardly do what was meant.
#include <gtest/gtest.h>

#include "base/text.h"
#include "base/texts.h"
#include "template/testing/describe.h"

namespace helve::tmpl {
namespace {

// "lint_shell /template: |", without the remark that a value may be an option.
std::string remarks_of(std::string_view source, std::string_view value,
                       const Options& options = {}) {
  std::vector<std::string> out;
  for (const Finding& finding : compiled(source, options).findings()) {
    EXPECT_EQ(finding.severity, Finding::Severity::kWarning);
    EXPECT_FALSE(render(finding.what).next.empty());
    if (finding.what.rule == "template.option_injection") continue;
    std::string remark = finding.what.rule.substr(9) + " " + finding.pointer;
    for (const auto& [name, text] : finding.what.args) {
      if (name == value) remark += ": " + text;
    }
    out.push_back(remark);
  }
  return join(out, ", ");
}

struct Row {
  const char *name, *source, *want;
};

TEST(Lints, NameWordsThatAreMeantForAShell) {
  const Row rows[] = {
      {"a pipe", R"({"template": "a | b"})", "lint_shell /template: |"},
      {"only the first", "a b && c || d", "lint_shell : &&"},
      {"in the background", "a &", "lint_shell : &"},
      {"one after the other", "a b; c", "lint_shell : b;"},
      {"a semicolon alone", "a ; c", "lint_shell : ;"},
      {"the program's word, too", "a; c", "lint_shell : a;"},
      {"into a file", "a > f", "lint_shell : >"},
      {"appended", "a >> f", "lint_shell : >>"},
      {"without a blank", "a >f", "lint_shell : >f"},
      {"from a file", "a < f", "lint_shell : <"},
      {"errors", "a 2>&1", "lint_shell : 2>&1"},
      {"errors into a file", "a 2> f", "lint_shell : 2>"},
      {"a variable", "a $HOME/x", "lint_shell : $HOME/x"},
      {"a variable in braces", "a ${HOME}", "lint_shell : ${HOME}"},
      {"the output of a command", "a $(pwd)", "lint_shell : $(pwd)"},
      {"a pattern for files", "ls *.md", "lint_shell : *.md"},
      {"a pattern beside a value", "ls {d}/*", "lint_shell : {d}/*"},
      {"a home folder", "ls ~/x", "lint_shell : ~/x"},
      {"a dollar without a name", "a $ $1 5$", ""},
      {"a home folder of the program is known", "~/bin/x", ""},
      {"in quotes it is meant", R"(a '|' ">" '*.md' "$HOME" 'b;')", ""},
      {"partly in quotes", "a '*'.md", ""},
      {"behind a backslash it is meant", R"(a \; \* \| b\;)", "lint_backslash "},
      {"find -exec", R"(find . -name '*.md' -exec cat {} \;)", "lint_backslash "},
      {"find -exec with plus", R"(find . -exec cat {} +)", ""},
      {"a star in a placeholder", R"({"repeat": 2, "template": "a {index*2}"})", ""},
      {"a question mark", "a {x?b:c} d?", ""},
      {"operators inside a word", "a b=c&d=e x>y a->b", ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(remarks_of(row.source, "word"), row.want);
  }
}

TEST(Lints, NamePlaceholdersInsidePlaceholders) {
  const Row rows[] = {
      {"CT-21 a condition", "git log {a?--author={a}:}", "lint_nested : {a?--author={a}:}"},
      {"CT-21 a negated one", "x {!a?{b}:c}", "lint_nested : {!a?{b}:c}"},
      {"CT-21 a fallback", "x {a??{b}}", "lint_nested : {a??{b}}"},
      {"CT-21 a default", "x {a={b}}", "lint_nested : {a={b}}"},
      {"CT-21 a typed default", "x {a:int={b}}", "lint_nested : {a:int={b}}"},
      {"CT-21 in quotes, too", "x '{a?y {b}:}'", "lint_nested : {a?y {b}:}"},
      {"CT-21 once per member", "x {a={b}} {a={b}}", "lint_nested : {a={b}}"},
      {"CT-31 a default of a node", R"({"defaults": {"d": "{a?{b}:}"}, "template": "x {d} {a??}"})",
       "lint_nested /defaults: {a?{b}:}"},
      {"CT-31 a label", R"({"label": "{a={b}}", "template": "x"})", "lint_nested /label: {a={b}}"},
      {"one behind the other", "x {a??b}{c} {d=e}{f}", ""},
      {"data of other languages", R"(x '{"k":{v}}' '{k: {v}}' '{k:"{v}"}' '{ {v} }')", ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(remarks_of(row.source, "outer"), row.want);
  }
}

TEST(Lints, HoldNamesAgainstTheirDeclarations) {
  const Row rows[] = {
      {"CT-46 not declared", R"({"args": ["file"], "template": "a {file} {count}"})",
       "lint_undeclared /template: count"},
      {"CT-46 misspelt", R"({"args": ["file"], "template": "a {file} {flie} {fil}"})",
       "lint_undeclared /template: flie, lint_misspelt /template: fil"},
      {"CT-46 misspelt in a condition",
       R"({"args": ["verbose:bool"], "template": "a {verbose?-v:}", "when": "verbsoe"})",
       "lint_misspelt /when: verbsoe"},
      {"CT-46 short names have too many neighbours", R"({"args": ["a"], "template": "t {a} {b}"})",
       "lint_undeclared /template: b"},
      {"CT-46 of an ancestor", R"({"args": ["a"], "template": ["t {a}", {"recover": "t {name}",
        "retry": 2, "template": "t"}]})",
       "lint_undeclared /template/1/recover: name"},
      {"CT-46 args behind the template", R"({"template": "t {a} {count=1}", "args": ["a"]})",
       "lint_undeclared /template: count"},
      {"CT-46 a default is a declaration",
       R"({"args": ["a"], "defaults": {"b": "{a}"}, "template": "t {b}"})", ""},
      {"CT-46 no args, no remark", "t {a} {b}", ""},
      {"CT-56 generated names need none",
       R"({"args": ["xs:array"], "repeat": "{xs.length}", "template": "t {index} {xs[index]}"})",
       ""},
      {"CT-46 declared, but unused", R"({"args": ["a", "b"], "template": "t {a}"})",
       "lint_unused_arg /args/1: b"},
      {"CT-46 used in any member",
       R"({"args": ["a", "b", "c", "d", "e", "f:array", "g", "h"], "label": "{a}", "when": "b",
        "timeout": "{c}", "retry": 2, "recover": "t {d}", "output": "e", "repeat": "{f.length}",
        "defaults": {"g": "{h}"}, "template": "t {g}"})",
       ""},
      {"CT-52 a default without use", R"({"defaults": {"a": 1, "b": 2}, "template": "t {a}"})",
       "lint_unused_default /defaults/b: b"},
      {"CT-52 an argument without use and its default",
       R"({"args": ["a"], "defaults": {"a": 1}, "template": "t"})", "lint_unused_arg /args/0: a"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(remarks_of(row.source, "name"), row.want);
  }
}

TEST(Lints, NameArraysThatBecomeText) {
  const Row rows[] = {
      {"CT-38 declared", R"({"args": ["xs:array"], "template": "t {xs}"})",
       "lint_array_text /template: xs"},
      {"CT-38 declared behind the use", R"({"template": "t a={xs??}", "args": ["xs:array"]})",
       "lint_array_text /template: xs"},
      {"CT-38 inferred", R"(["t {xs=[]}", {"repeat": "{xs.length}", "template": "t {xs[index]}"}])",
       "lint_array_text /0: xs"},
      {"CT-38 not for a condition or an item", R"({"args": ["xs:array"],
        "template": "t {xs?a:b} {xs[0]}"})",
       ""},
      {"CT-38 not where it is no word", R"({"args": ["xs:array"], "label": "{xs}",
        "template": "t {xs[0]}"})",
       ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(remarks_of(row.source, "name"), row.want);
  }
}

TEST(Lints, NameNodesThatRunOtherwiseThanTheyLook) {
  const Row rows[] = {
      {"CT-62 steps of an instance", R"({"parallel": true, "repeat": 2, "template": ["a", "b"]})",
       "lint_parallel_instances /template"},
      {"CT-62 one step", R"({"parallel": true, "repeat": 2, "template": ["a"]})", ""},
      {"CT-62 a sequence",
       R"({"parallel": true, "repeat": 2, "template": {"template": ["a", "b"]}})", ""},
      {"CT-62 without repeat", R"({"parallel": true, "template": ["a", "b"]})", ""},
      {"CT-89 no other attempt", R"([{"recover": "r", "template": "a"}])",
       "lint_recover /0/recover"},
      {"CT-89 one attempt", R"({"retry": "1", "recover": "r", "template": "a"})",
       "lint_recover /recover"},
      {"CT-89 two attempts", R"({"recover": "r", "retry": 2, "template": "a"})", ""},
      {"CT-89 as many as a value says", R"({"retry": "{n}", "recover": "r", "template": "a"})", ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(remarks_of(row.source, ""), row.want);
  }
}

TEST(Lints, DoNotAskToMarkWhatIsMarked) {
  const Options options{.secret = {"k", "token"}};
  const Row rows[] = {
      {"CT-98 the word itself", "x {token}", "risk_secret_masked "},
      {"CT-98 the word behind an option", "x --api-key {k}", "risk_secret_masked "},
      {"CT-98 a part of the word", "x --api-key={k}", "risk_secret_masked "},
      {"CT-98 another one is not marked", "x --api-key {k} --password {p}",
       "risk_secret_touching "},
      {"CT-98 not marked", "x --password {p}", "risk_secret_touching "},
      {"CT-98 no placeholder", "x .env", "risk_secret_touching "},
      {"CT-98 arithmetic", "x --password {1+1}", "risk_secret_touching "},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(remarks_of(row.source, "", options), row.want);
  }
  EXPECT_EQ(compiled("x {token}", options).risks(),
            std::vector<std::string>{"risk.secret_touching"});
}

TEST(Lints, StayFewHoweverManyNamesThereAre) {
  std::string text = "t";
  for (int i = 0; i < 3'000; ++i) text += " {name" + std::to_string(i) + "}";
  const Template made =
      compiled(write_json(JsonObject{{"args", JsonArray{"name"}}, {"template", text}}));
  EXPECT_LE(made.findings().size(), 110U);
}

std::string sentences_of(std::string_view source) {
  std::vector<std::string> out;
  for (const Finding& finding : compiled(source).findings()) {
    if (finding.what.rule.starts_with("template.lint_")) out.push_back(render_text(finding.what));
  }
  return join(out, "\n");
}

TEST(Lints, SayWhatToWriteInstead) {
  EXPECT_EQ(
      sentences_of("git log {author?--author={author}:}"),
      "placeholders cannot be nested: the outer braces of {author?--author={author}:} stay as "
      "text\nNext: write two words such as {author?--author:} {author??}; a default with "
      "placeholders in it belongs into \"defaults\"");
  EXPECT_EQ(sentences_of(R"({"args": ["files:array"], "template": "wc {files}"})"),
            "files is an array, and {files} puts all of it into one word as JSON text\nNext: for a "
            "step per item use \"repeat\": \"{files.length}\" with {files[index]}");
  EXPECT_EQ(sentences_of(R"({"args": ["file", "all"], "template": "wc {file}"})"),
            "the argument all is declared, but used nowhere\nNext: use it as {all}, or remove it "
            "from \"args\"");
}

}  // namespace
}  // namespace helve::tmpl
