// `helve run` up to the execution: arguments and --dry-run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/texts.h"
#include "host/run.h"
#include "host/testing/folders.h"
#include "host/values.h"

namespace helve::host {
namespace {

using testing::Folders;

ToolConfig tool_of(const std::string& node) {
  const Surroundings around{.cwd = "/srv", .home = "/home/ann"};
  Config config = load_text(node, Kind::kRecipe, "t", "t.json", around);
  EXPECT_FALSE(config.tools.empty());
  return config.tools.front();
}

struct Case {
  const char* name;
  std::vector<std::string> words;
  const char *values, *want;
};

const Case kCases[] = {
    {"text", {"url=x", "n=3"}, "", R"({"url":"x","n":"3"})"},
    {"text keeps what follows the first =", {"url=a=b:=c"}, "", R"({"url":"a=b:=c"})"},
    {"an empty text", {"url="}, "", R"({"url":""})"},
    {"JSON", {"url=x", "tags:=[\"a\",1]", "n:=5"}, "", R"({"url":"x","tags":["a",1],"n":5})"},
    {"all values at once", {}, R"({"url": "x", /* five */ "n": 5,})", R"({"url":"x","n":5})"},
    {"a word wins over --values", {"url=y"}, R"({"url": "x"})", R"({"url":"y"})"},
    {"a word without a name", {"=x"}, "", "refused run.word_invalid"},
    {"a bare word", {"x"}, "", "refused run.word_invalid"},
    {"twice", {"url=x", "url=y"}, "", "refused run.argument_twice"},
    {"broken JSON", {"url=x", "tags:=[1"}, "", "refused run.json_invalid"},
    {"--values that is no object", {}, "[1]", "refused run.values_not_an_object"},
    {"--values that is no JSON", {}, "{", "refused json.invalid"},
    {"--values of a file that is missing", {}, "@nope.json", "refused file.not_found"},
    {"an unknown name", {"ulr=x"}, "", "refused run.unknown_argument"},
    {"a missing argument", {"n=3"}, "", "refused run.missing_argument"},
};

TEST(Values, WordsBecomeValues) {
  const ToolConfig tool =
      tool_of(R"({"args": ["url", "n:int=1", "tags:array=[]"], "template": "x {url} {n} {tags}"})");
  const Surroundings around{.cwd = "/", .home = "/home/ann"};
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto values = read_values(tool, c.words, c.values, around);
    EXPECT_EQ(values ? write_json(*values) : "refused " + render(values.error()).rule, c.want);
  }
}

TEST(Values, ARefusalShowsHowToCall) {
  const ToolConfig tool = tool_of(R"json({"args": ["mode:enum(a,b)", "n:int=1", "tags:array=[]"],
                                       "template": "x {mode}"})json");
  const Surroundings around{.cwd = "/", .home = "/"};
  const auto values = read_values(tool, {"moed=a"}, "", around);
  ASSERT_FALSE(values);
  EXPECT_EQ(render_text(values.error()),
            "the tool t has no argument \"moed\"; did you mean \"mode\"?\n"
            "Next: call it like this: helve run t mode=a|b [n=INT] [tags:=ARRAY]");
}

struct Printed {
  int code;
  std::string out, err;
};

Printed run(RunCommand command, const Surroundings& around) {
  std::ostringstream out, err;
  Console console{.out = out, .err = err};
  const int code = run_command(command, console, around);
  return {code, out.str(), err.str()};
}

TEST(DryRun, PrintsThePlanAsATree) {
  const Folders folders;
  const auto printed =
      run({.inline_template = R"([{"parallel": true, "template": [{"label": "one {x}",
             "template": "echo {x}"}, {"template": "false", "retry": 3, "failure": "continue",
             "timeout": 1500, "recover": "sleep 1"}]}, {"template": "cat", "when": "flag"}])",
           .words = {"x=a b"},
           .dry_run = true},
          folders.around);
  EXPECT_EQ(printed.err, "");
  EXPECT_EQ(printed.code, kDone);
  EXPECT_EQ(
      printed.out,
      "one after the other\n"
      "  at the same time\n"
      "    one a b: echo 'a b'\n"
      "    false  [at most 3 attempts, each attempt at most 1.5 s, a failure reaches continue]\n"
      "      before another attempt: sleep 1\n"
      "  (skipped: its condition is false)\n");
}

TEST(DryRun, MasksSecretsInBothForms) {
  const Folders folders;
  folders.write("home/project/r.json",
                R"({"template": "curl -H {key}", "secret": ["key"], "args": ["key"]})");
  for (const bool json : {false, true}) {
    const auto printed =
        run({.tool = "./r.json", .words = {"key=s3cret"}, .dry_run = true, .json = json},
            folders.around);
    EXPECT_EQ(printed.code, kDone) << printed.err;
    EXPECT_THAT(printed.out, ::testing::HasSubstr("curl"));
    EXPECT_THAT(printed.out, ::testing::Not(::testing::HasSubstr("s3cret")));
  }
}

TEST(DryRun, ThePlanIsJsonToo) {
  const Folders folders;
  const auto printed =
      run({.inline_template = "echo {x=1}", .dry_run = true, .json = true}, folders.around);
  const auto plan = parse_json(printed.out);
  ASSERT_TRUE(plan) << printed.out;
  EXPECT_EQ(write_json(*plan),
            R"({"leaves":1,"root":{"kind":"command","path":"","argv":["echo","1"],)"
            R"("program":"echo"},"output":{"kind":"stdout"}})");
}

TEST(DryRun, RefusalsComeBeforeAnythingRuns) {
  const Folders folders;
  folders.write("home/project/helve.json",
                R"({"tools": {"deploy": {"template": "x", "cwd": "nope"}, "bad": "'"}})");
  folders.write("home/project/bad.json", R"({"template": "'"})");
  struct Row {
    const char* name;
    RunCommand command;
    const char* want;
  };
  const Row kRows[] = {
      {"nothing named", {.dry_run = true}, "run.nothing_named"},
      {"an unknown tool, while the configuration is broken", {.tool = "depoy"}, "config.errors"},
      {"a broken tool", {.tool = "bad"}, "config.errors"},
      {"a broken template", {.inline_template = "say don't"}, "run.template_errors"},
      {"a folder that is missing", {.tool = "deploy"}, "run.folder_missing"},
      {"no jobs", {.inline_template = "true", .jobs = "0"}, "run.jobs_invalid"},
      {"jobs that are no number", {.inline_template = "true", .jobs = "4x"}, "run.jobs_invalid"},
      {"a recipe that is missing", {.tool = "r.json"}, "file.not_found"},
      {"a recipe with errors", {.tool = "bad.json"}, "run.file_errors"},
      {"a configuration", {.tool = "helve.json"}, "run.is_configuration"},
      {"a root that is no folder",
       {.inline_template = "true", .locations = {.root = "nope"}},
       "workspace.not_a_folder"},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    RunCommand command = row.command;
    command.dry_run = command.json = true;
    const auto printed = run(command, folders.around);
    EXPECT_EQ(printed.code, kRefused);
    const auto refusal = parse_json(printed.out);
    ASSERT_TRUE(refusal) << printed.out;
    EXPECT_EQ(find_text(*refusal, "rule"), row.want);
  }
}

TEST(DryRun, AConfigurationIsNoRecipeAndNamesItsTools) {
  const Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"a": "x", "b": "y"}})");
  folders.write("home/project/my conf.json", R"({"tools": {"c": "z"}})");
  EXPECT_EQ(run({.tool = "helve.json"}, folders.around).err,
            "helve: helve.json is a configuration, not a recipe; its tools: a, b\n"
            "Next: run one of its tools: helve run a\n");
  EXPECT_THAT(run({.tool = "my conf.json"}, folders.around).err,
              ::testing::EndsWith("helve --config 'my conf.json' run c\n"));
}

TEST(DryRun, ErrorsOfATemplateAreToldAsItsOwn) {
  const Folders folders;
  const auto printed = run({.inline_template = "say don't"}, folders.around);
  EXPECT_THAT(printed.err, ::testing::StartsWith("-t:1:1: error: "));
  EXPECT_THAT(printed.err, ::testing::EndsWith("helve: the template has errors\n"
                                               "Next: correct it and run it again\n"));
}

struct Unset {
  const char *name, *config, *variable;
};

constexpr Unset kUnset[] = {
    {"in the tool's env", R"({"tools": {"t": {"template": "x", "env": {"K": "${NOPE}"}}}})",
     "NOPE"},
    {"in its folder", R"({"tools": {"t": {"template": "x", "cwd": "${NOPE}/a"}}})", "NOPE"},
    {"in the env of all", R"({"env": {"K": "${ALL}"}, "tools": {"t": "x"}})", "ALL"},
    {"in both",
     R"({"env": {"K": "${ALL}"}, "tools": {"t": {"template": "x", "env": {"K": "${NOPE}"}}}})",
     "ALL"},
};

TEST(DryRun, NamesTheVariableThatIsNotSet) {
  for (const Unset& c : kUnset) {
    SCOPED_TRACE(c.name);
    const Folders folders;
    folders.write("home/project/helve.json", c.config);
    const std::string variable = c.variable;
    EXPECT_EQ(run({.tool = "t", .dry_run = true}, folders.around).err,
              "helve: the variable " + variable + " is not set\n" +
                  "Next: set it before helve starts: export " + variable +
                  "=... or give a default: ${" + variable + ":-text}\n");
  }
}

TEST(DryRun, CarriesStandardInput) {
  const Folders folders;
  std::vector<Problem> errors;
  const auto request =
      prepare({.inline_template = "cat", .standard_input = true}, folders.around, errors);
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->standard_input);
}

TEST(DryRun, AToolRunsInItsFolder) {
  const Folders folders;
  folders.write("home/project/helve.json",
                R"({"tools": {"here": "./x", "sub": {"template": "./x", "cwd": "a"}}})");
  folders.write("home/project/a/b/c", "");
  Surroundings around = folders.around;
  around.cwd = folders.project() / "a" / "b";
  std::vector<Problem> errors;
  const auto here = prepare({.tool = "here"}, around, errors);
  ASSERT_TRUE(here);
  EXPECT_EQ(here->plan.root.program, (folders.project() / "a/b/x").string());
  const auto sub = prepare({.tool = "sub"}, around, errors);
  ASSERT_TRUE(sub);
  EXPECT_EQ(sub->folder, folders.project() / "a");
  EXPECT_EQ(sub->plan.root.program, (folders.project() / "a/x").string());
}

}  // namespace
}  // namespace helve::host
