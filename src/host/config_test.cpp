#include "host/config.h"

#include <gtest/gtest.h>

#include "base/texts.h"
#include "host/detail/expand.h"
#include "host/testing/describe.h"
#include "host/testing/folders.h"
#include "schema/schema.h"

namespace helve::host {
namespace {

using testing::describe;
using testing::Folders;

Surroundings made_up() {
  return {.cwd = "/srv/shop", .home = "/home/ann", .variables = {{"TOKEN", "t"}, {"EMPTY", ""}}};
}

struct Case {
  const char *name, *text, *want;
};

constexpr Case kProjectCases[] = {
    {"an empty object", "{}", ""},
    {"comments and trailing commas", "// tools\n{\"tools\": {\"hi\": \"echo hi\",}, /* end */}",
     ""},
    {"text that is not JSON", "{\n  \"tools\": nope}", "2:12 json.invalid \n"},
    {"an array", "[]", "1:1 config.not_an_object \n"},
    {"an unknown field at the top", "{\n  \"tool\": {}\n}", "2:3 config.unknown_field /tool\n"},
    {"tools of a wrong type", "{\"tools\": []}", "1:2 config.wrong_type /tools\n"},
    {"a tool without a template", "{\"tools\": {\"a\": {}}}",
     "1:12 template.missing_template /tools/a\n"},
    {"an unknown field of a tool",
     "{\"tools\": {\"a\": {\"template\": \"x\",\n \"descriptoin\": \"\"}}}",
     "2:2 config.unknown_field /tools/a/descriptoin\n"},
    {"CT-4 a known foreign control field",
     "{\"tools\": {\"a\": {\"template\": \"x\",\n   \"concurrency\": 3}}}",
     "2:4 config.foreign_field /tools/a/concurrency\n"},
    {"CT-4 a foreign field of an inner node",
     "{\"tools\": {\"a\": [\"x\",\n {\"template\": \"y\", \"values\": {}}]}}",
     "2:20 config.foreign_field /tools/a/1/values\n"},
    {"a host field of an inner node",
     "{\"tools\": {\"a\": [\"x\",\n {\"template\": \"y\", \"cwd\": \"/\"}]}}",
     "2:20 config.inner_field /tools/a/1/cwd\n"},
    {"a field that is not there yet", "{\"tools\": {\"a\": {\"template\": \"x\",\n\"pty\": true}}}",
     "2:1 config.unknown_field /tools/a/pty\n"},
    {"R8 a tool's name with a dot", "{\"tools\": {\"a.b\": \"x\"}}",
     "1:12 tool.name_invalid /tools/a.b\n"},
    {"R7 an argument's name that is too long for hosts",
     "{\"tools\": {\"a\": \"x -- {"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "}\"}}",
     "1:12 schema.portable_name /tools/a\n"},
    {"a secret that is no argument",
     "{\"tools\": {\"a\": {\"template\": \"x -k{key}\", \"secret\": [\"kye\"]}}}",
     "1:54 config.no_such_argument /tools/a/secret/0\n"},
    {"a description of no argument",
     "{\"tools\": {\"a\": {\"template\": \"x -k{key}\", \"arg_descriptions\": {\"k\": \"\"}}}}",
     "1:64 config.no_such_argument /tools/a/arg_descriptions/k\n"},
    {"env that is no object", "{\"tools\": {\"a\": {\"template\": \"x\", \"env\": [1]}}}",
     "1:35 config.wrong_type /tools/a/env\n"},
    {"a variable that is not set", "{\"env\": {\"KEY\": \"${NOPE}\"}}",
     "1:10 config.variable_unset /env/KEY\n"},
    {"a variable that is not closed", "{\"env\": {\"KEY\": \"${TOKEN\"}}",
     "1:10 config.variable_syntax /env/KEY\n"},
    {"a name that no variable can have", "{\"env\": {\"A=B\": \"\"}}",
     "1:10 config.variable_name /env/A=B\n"},
    {"a folder with a place for an argument",
     "{\"tools\": {\"a\": {\"template\": \"x -- {d}\", \"cwd\": \"sub/{d}\"}}}",
     "1:42 config.cwd_placeholder /tools/a/cwd\n"},
    {"a variable with a place for an argument",
     "{\"tools\": {\"a\": {\"template\": \"x -- {d}\", \"env\": {\"A\": \"-{d=1}\", \"B\": "
     "\"{e}${TOKEN}\"}}}}",
     "1:50 warning config.env_placeholder /tools/a/env/A\n"},
    {"a variable that is a number", "{\"env\": {\"A\": \"1\", \"PORT\": 8080}}",
     "1:20 config.wrong_type /env/PORT\n"},
    {"a secret that is a number", "{\"secrets\": [\"A\", 2]}",
     "1:19 config.wrong_type /secrets/1\n"},
    {"a description that is null",
     "{\"tools\": {\"a\": {\"template\": \"x -- {d}\", \"arg_descriptions\": {\"d\": null}}}}",
     "1:63 config.wrong_type /tools/a/arg_descriptions/d\n"},
    {"an empty cwd", "{\"tools\": {\"a\": {\"template\": \"x\", \"cwd\": \"\"}}}",
     "1:35 config.cwd_empty /tools/a/cwd\n"},
    {"empty_args that is neither",
     "{\"tools\": {\"a\": {\"template\": \"x\", \"empty_args\": \"no\"}}}",
     "1:35 config.wrong_type /tools/a/empty_args\n"},
    {"too many jobs", "{\"jobs\": 65}", "1:2 config.too_many_jobs /jobs\n"},
    {"no jobs", "{\"jobs\": 0}", "1:2 config.wrong_type /jobs\n"},
    {"an unknown limit", "{\"limits\": {\"node\": 1}}", "1:13 config.unknown_field /limits/node\n"},
    {"a limit that a project raises", "{\"limits\": {\"nodes\": 2000}}",
     "1:13 config.limit_raised /limits/nodes\n"},
    {"a limit that a project lowers",
     "{\"limits\": {\"nodes\": 3},\n\"tools\": {\"a\": [\"x\", \"y\"]}}", ""},
    {"a template that does not compile",
     "{\"tools\": {\"a\": {\"template\": [\"x\",\n \"say don't\"]}}}",
     "2:2 template.unterminated_quote /tools/a/template/1\n"},
    {"two problems in two tools", "{\"tools\": {\"a\": \"\",\n \"b\": \"'\"}}",
     "1:12 template.empty_command /tools/a\n2:2 template.unterminated_quote /tools/b\n"},
};

TEST(Config, NamesEveryProblemWithItsPlace) {
  for (const Case& c : kProjectCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(load_text(c.text, Kind::kProject, "", "helve.json", made_up())), c.want);
  }
}

TEST(Config, ATextThatIsNoneIsNamedWithWhatItIs) {
  const Config config =
      load_text(R"({"env": {"PORT": 8080}})", Kind::kProject, "", "helve.json", {});
  ASSERT_EQ(config.problems.size(), 1U);
  EXPECT_EQ(render(config.problems[0].finding.what).message,
            "\"env.PORT\" must be a text in quotes, or null; found: integer 8080");
}

TEST(Config, WarnsOfAFolderThatIsMissing) {
  const Folders folders;
  folders.write(
      "home/project/helve.json",
      R"({"tools": {"a": {"template": "x", "cwd": "here"}, "b": {"template": "x", "cwd": "nope"}}})");
  folders.write("home/project/here/file", "");
  folders.write("home/project/recipes/c.json", R"({"template": "x", "cwd": "here"})");
  const char* const want = "1:74 warning config.cwd_missing /tools/b/cwd\n";
  EXPECT_EQ(describe(load({}, folders.around)), want);
  EXPECT_EQ(describe(load_path("helve.json", folders.around)), want);
  EXPECT_EQ(describe(load_path("recipes/c.json", folders.around)), "");
  EXPECT_EQ(describe(load_path("recipes", folders.around)), "");
}

TEST(Config, TheVariablesOfAProjectHoldForItsRecipes) {
  const Folders folders;
  folders.write("home/.config/helve/helve.json", R"({"env": {"U": "1"}, "tools": {"u": "x"}})");
  folders.write("home/project/helve.json", R"({"env": {"A": "1"}})");
  folders.write("home/project/recipes/b.json", R"({"template": "x", "env": {"B": "2"}})");
  const Config config = load({}, folders.around);
  ASSERT_EQ(config.tool_names(), (std::vector<std::string_view>{"b", "u"}));
  EXPECT_EQ(config.tools[0].variables.size(), 2U);
  EXPECT_TRUE(config.tools[0].variables.contains("A"));
  EXPECT_TRUE(config.tools[1].variables.contains("U"));
}

TEST(Config, ABrokenToolLeavesTheOthersUsable) {
  const Config config = load_text(R"({"tools": {"a": "", "b": "echo {x}"}})", Kind::kProject, "",
                                  "helve.json", made_up());
  EXPECT_TRUE(config.has_errors());
  ASSERT_EQ(config.tools.size(), 1U);
  EXPECT_EQ(config.tools[0].name, "b");
}

TEST(Config, SuggestsTheFieldThatIsMeant) {
  struct Row {
    const char *written, *want;
  };
  constexpr Row kRows[] = {
      {"retyr", "retry"},
      {"retries", "retry"},
      {"environment", "env"},
      {"desc", "description"},
      {"defaultValues", "defaults"},
      {"timeout_ms", "timeout"},
      {"arg_description", "arg_descriptions"},
      {"de", ""},
      {"color", ""},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.written);
    const std::string tool =
        R"({"tools": {"a": {"template": "x", ")" + std::string(row.written) + R"(": 1}}})";
    const Config config = load_text(tool, Kind::kProject, "", "helve.json", made_up());
    ASSERT_FALSE(config.problems.empty());
    const std::string want = *row.want ? "; did you mean \"" + std::string(row.want) + "\"?" : "";
    EXPECT_EQ(render(config.problems[0].finding.what).message,
              "unknown field \"" + std::string(row.written) + '"' + want);
  }
}

TEST(Config, ReadsTheHostFieldsOfATool) {
  const Config config = load_text(
      R"({"env": {"A": "1", "B": "2"}, "secrets": ["TOKEN"], "jobs": 3,
          "limits": {"open_files": 64, "nodes": 10},
          "tools": {"a": {"template": "x -H{key}", "description": "Fetches.", "secret": ["key"],
            "arg_descriptions": {"key": "the key"}, "env": {"B": "${TOKEN}", "C": null},
            "cwd": "~/x", "empty_args": "drop"}}})",
      Kind::kProject, "", "helve.json", made_up());
  EXPECT_EQ(describe(config), "");
  ASSERT_EQ(config.tools.size(), 1U);
  const ToolConfig& tool = config.tools[0];
  EXPECT_EQ(tool.description, "Fetches.");
  EXPECT_EQ(tool.secret, std::vector<std::string>{"key"});
  EXPECT_EQ(tool.cwd, "/home/ann/x");
  EXPECT_EQ(config.jobs, 3);
  EXPECT_EQ(config.process_limits.open_files, 64U);
  Surroundings around = made_up();
  around.variables["C"] = "gone";
  around.variables["HELVE_JOB"] = "mine";
  const Variables variables = step_variables(config, tool, around);
  EXPECT_EQ(variables, (Variables{{"A", "1"}, {"B", "t"}, {"EMPTY", ""}}));
}

constexpr Case kRecipeCases[] = {
    {"a portable recipe",
     R"({"args": ["repo:path"], "defaults": {"repo": "."}, "template": "git -C {repo} status"})",
     ""},
    {"CT-4 a recipe that imports", R"({"async": true, "imports": {}, "template": "x"})",
     "1:2 config.foreign_field /async\n1:17 config.foreign_field /imports\n"},
    {"a bare array", R"(["echo a", "echo b"])", ""},
};

TEST(Config, ReadsRecipesOfOtherHosts) {
  for (const Case& c : kRecipeCases) {
    SCOPED_TRACE(c.name);
    Config config = load_text(c.text, Kind::kRecipe, "r", "r.json", made_up());
    std::erase_if(config.problems, [](const Problem& problem) { return !problem.is_error(); });
    EXPECT_EQ(describe(config), c.want);
  }
}

TEST(Config, LooksInTheProjectItsRecipesAndTheUsersFile) {
  const Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"a": "echo a"}})");
  folders.write("home/project/recipes/b.json", R"("echo b")");
  folders.write("home/project/recipes/notes.txt", "not a recipe");
  folders.write("home/.config/helve/helve.json", R"({"tools": {"c": "echo c"}})");
  const Config config = load({}, folders.around);
  EXPECT_EQ(describe(config), "");
  EXPECT_EQ(config.tool_names(), (std::vector<std::string_view>{"a", "b", "c"}));
  EXPECT_EQ(config.project, folders.project() / "helve.json");
}

TEST(Config, AProjectCannotHandOnTheUsersSecrets) {
  Folders folders;
  folders.around.variables["TOKEN"] = "hunter2";
  folders.around.variables["HELVE_INNER"] = "x";
  folders.write("home/.config/helve/helve.json", R"({"secrets": ["TOKEN"]})");
  folders.write("home/project/helve.json", R"({"tools": {
      "a": {"env": {"G": "${TOKEN}"}, "template": "echo"},
      "b": {"cwd": "${HELVE_INNER}", "template": "echo"}}})");
  const Config config = load({}, folders.around);
  EXPECT_EQ(describe(config),
            "2:21 config.variable_withheld /tools/a/env/G\n"
            "3:13 config.variable_withheld /tools/b/cwd\n");
  const Config named = load({.config = folders.project() / "helve.json"}, folders.around);
  EXPECT_FALSE(named.tools.empty());
  EXPECT_EQ(named.tools.front().variables.at("G"), "hunter2");
}

TEST(Config, ReadsOnlyTheNamedFileAndItsRecipes) {
  const Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"a": "echo a"}})");
  folders.write("home/.config/helve/helve.json", R"({"tools": {"c": "echo c"}})");
  folders.write("other/my.json", R"({"limits": {"nodes": 5000}, "tools": {"d": "echo d"}})");
  const Config config = load({.config = folders.top() / "other/my.json"}, folders.around);
  EXPECT_EQ(describe(config), "");  // a named file may raise limits
  EXPECT_EQ(config.tool_names(), (std::vector<std::string_view>{"d"}));
}

// CT-7: a composition is one handler, whatever it holds; what would select or describe a handler
// counts on its root alone.
TEST(Config, ATemplateIsOneToolWhateverIsInside) {
  const Config config = load_text(
      R"({"tools": {"all": {"description": "All.", "template": [
            {"label": "a", "template": "echo a"}, {"template": [{"template": "echo b"}]}]}}})",
      Kind::kProject, "", "helve.json", {});
  ASSERT_EQ(config.tools.size(), 1U);
  EXPECT_EQ(config.tools[0].description, "All.");
}

// CT-96 leaves the fallback across handlers to the host: here a name is one tool and there is none.
TEST(Config, RefusesTwoToolsOfOneNameAndReadsOn) {
  const Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"a": "echo a"}})");
  folders.write("home/project/recipes/a.json", R"("echo b")");
  folders.write("home/project/recipes/b.json", "{");
  folders.write("home/project/recipes/c.json", R"("echo c")");
  const Config config = load({}, folders.around);
  EXPECT_EQ(describe(config), "1:1 config.tool_taken \n1:2 json.invalid \n");
  EXPECT_EQ(config.tool_names(), (std::vector<std::string_view>{"a", "c"}));
}

TEST(Config, TellsAConfigurationFromARecipeByItsFields) {
  const std::pair<const char*, bool> files[] = {
      {R"({"policy": {"profile": "careful"}})", true},
      {R"({"limits": {"nodes": 5}})", true},
      {R"({"tools": {}})", true},
      {R"({"template": "echo a"})", false},
      {R"("echo a")", false},
      {R"(["echo a", "echo b"])", false},
  };
  for (const auto& [file, is_project] : files) {
    const Config config = load_text(file, Kind::kEither, "a", "a.json", {});
    EXPECT_EQ(describe(config), "") << file;
    EXPECT_EQ(config.tools.empty(), is_project) << file;
  }
}

TEST(Config, RefusesTheNamesOfHelvesOwnTools) {
  for (const char* name : {"job_output", "job_stop", "job_list", "tool_search", "tool_call"}) {
    const std::string file = R"({"tools": {")" + std::string(name) + R"(": "echo a"}})";
    const Config config = load_text(file, Kind::kProject, "", "helve.json", {});
    EXPECT_EQ(describe(config), "1:12 config.tool_reserved /tools/" + std::string(name) + "\n");
  }
}

TEST(Config, SaysThatANamedFileIsMissing) {
  const Folders folders;
  EXPECT_EQ(describe(load({.config = "nope.json"}, folders.around)), "0:0 file.not_found \n");
}

TEST(Config, PathsOfCheckMayBeFilesAndFolders) {
  const Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"a": "echo a"}})");
  folders.write("home/project/recipes/b.json", R"("echo b")");
  folders.write("home/project/my.json", R"({"tools": {"c": "echo c"}})");
  const auto names = [&](const char* path) {
    const Config config = load_path(path, folders.around);
    std::string all;
    for (const std::string_view name : config.tool_names()) all.append(name).append(" ");
    return all;
  };
  EXPECT_EQ(names("."), "a b ");
  EXPECT_EQ(names("helve.json"), "a b ");
  EXPECT_EQ(names("my.json"), "c ");
  EXPECT_EQ(names("recipes"), "b ");
  EXPECT_EQ(names("recipes/b.json"), "b ");
}

TEST(Config, ExpandsVariablesOnlyInBraces) {
  const Case kCases[] = {
      {"plain", "a $TOKEN {TOKEN} $$", "a $TOKEN {TOKEN} $$"},
      {"in the middle", "x${TOKEN}y${EMPTY}", "xty"},
      {"a value is not expanded again", "${NEST}", "${TOKEN}"},
      {"unset", "${NOPE}", "refused config.variable_unset"},
      {"no name", "${}", "refused config.variable_syntax"},
      {"a default for what is unset", "a${NOPE:-b c}d", "ab cd"},
      {"a default for what is empty", "${EMPTY:-x}", "x"},
      {"a default that is not needed", "${TOKEN:-x}", "t"},
      {"an empty default", "${NOPE:-}", ""},
      {"a default is not expanded", "${NOPE:-$TOKEN}", "$TOKEN"},
      {"a default without a name", "${:-x}", "refused config.variable_syntax"},
      {"another operator of shells", "${TOKEN:+x}", "refused config.variable_syntax"},
  };
  Surroundings around = made_up();
  around.variables["NEST"] = "${TOKEN}";
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto expanded = expand_variables(c.text, around.variables);
    EXPECT_EQ(expanded ? *expanded : "refused " + expanded.error().rule, c.want);
  }
}

// The schema is for editors: it must take what the loader takes, and name the same fields.
TEST(Config, TheSchemaTakesWhatTheLoaderTakes) {
  const auto document = parse_json(config_schema());
  ASSERT_TRUE(document);
  const auto compiled = schema::Schema::compile(*document);
  ASSERT_TRUE(compiled) << render_text(compiled.error());
  const Case kCases[] = {
      {"a project", R"({"tools": {"a": {"template": ["x", {"template": "y", "retry": 2}]}}})",
       "yes"},
      {"a recipe", R"({"template": "x", "env": {"A": null}, "empty_args": "drop"})", "yes"},
      {"a bare command", R"("echo")", "yes"},
      {"an unknown field", R"({"tools": {}, "tool": {}})", "no"},
      {"an unknown field of a tool", R"({"tools": {"a": {"template": "x", "cdw": "."}}})", "no"},
      {"a host field inside", R"({"tools": {"a": [{"template": "x", "cwd": "."}]}})", "no"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Json value = *parse_json(c.text);
    EXPECT_EQ(compiled->accepts(value) ? "yes" : "no", std::string(c.want));
    const Config config = load_text(c.text, Kind::kEither, "t", "t.json", made_up());
    EXPECT_EQ(config.has_errors() ? "no" : "yes", std::string(c.want));
  }
}

}  // namespace
}  // namespace helve::host
