// `helve check`, `helve tools` and `helve init`: what they print.
#include "host/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/texts.h"
#include "host/init.h"
#include "host/run.h"
#include "host/testing/folders.h"
#include "host/tools.h"

namespace helve::host {
namespace {

using testing::Folders;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Printed {
  int code = 0;
  std::string out, err;
};

template <typename Act>
Printed printed(Act act, size_t width = 0) {
  std::ostringstream out, err;
  Console console{.out = out, .err = err, .width = width};
  const int code = act(console);
  return {code, out.str(), err.str()};
}

Printed check_here(const Folders& folders, CheckRequest request = {}) {
  return printed([&](Console& console) { return check(request, console, folders.around); });
}

TEST(Check, NamesFileLineColumnPointerAndNext) {
  const Folders folders;
  folders.write("home/project/helve.json",
                "{\n  \"tools\": {\n    \"a\": [\"x\", \"say don't\"]}}");
  const Printed result = check_here(folders);
  EXPECT_EQ(result.code, kRefused);
  EXPECT_THAT(result.out, StartsWith("helve.json:3:16: error: "));
  EXPECT_THAT(result.out, HasSubstr("\n  at /tools/a/1\n  next: "));
  EXPECT_THAT(result.out, HasSubstr("1 error and 0 warnings in 1 file; usable: 0 tools\n"));
}

TEST(Check, CountsReadWellForOneAndForMany) {
  const Folders folders;
  folders.write("home/project/helve.json",
                R"({"tools": {"a": {"template": "x", "cwd": "nope"}, "b": "y"}})");
  EXPECT_THAT(check_here(folders).out,
              ::testing::EndsWith("\nno errors, 1 warning: 2 tools in 1 file\n"));
  EXPECT_EQ(counted("errors", 0), "0 errors");
  EXPECT_EQ(counted("errors", 1), "1 error");
}

struct Broken {
  const char *name, *text, *want;
};

constexpr Broken kBroken[] = {
    {"the place of the error", "{\n  \"tools\": nope}",
     "\n      \"tools\": nope}\n               ^\n"},
    {"a tab keeps its column", "{\t\t\"tools\": nope}",
     "\n    {  \"tools\": nope}\n                ^\n"},
    {"control characters are blanks", "{\"\x1b[1m\": nope}", "\n    {\" [1m\": nope}\n      ^\n"},
    {"the end of the text", "{", "\n    {\n     ^\n"},
};

TEST(Check, ShowsTheLineThatIsNoJson) {
  for (const Broken& c : kBroken) {
    SCOPED_TRACE(c.name);
    const Folders folders;
    folders.write("home/project/helve.json", c.text);
    EXPECT_THAT(check_here(folders).out, HasSubstr(c.want));
    EXPECT_THAT(check_here(folders, {.json = true}).out, ::testing::Not(HasSubstr("^")));
  }
}

TEST(Check, CutsALongLineAroundThePlace) {
  const Folders folders;
  folders.write("home/project/helve.json",
                "{\"" + std::string(5000, 'x') + "\": nope" + std::string(500, ' '));
  const std::string out = check_here(folders).out;
  EXPECT_LT(out.size(), 500U);
  EXPECT_THAT(out, HasSubstr("x\": nope"));
}

TEST(Check, RefusesARootThatIsNoFolder) {
  const Folders folders;
  const CheckRequest request{.locations = {.root = "nope"}};
  EXPECT_THAT(check_here(folders, request).err, HasSubstr("/project/nope is not a folder"));
}

// A cloned project may hold anything; only --json has it as it stands (JSON escapes it).
TEST(Check, AHostileFileDoesNotSteerTheTerminal) {
  const Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {
    "a": {"description": "x\u001b[2Jy\nsecond\u009bline", "args": ["m:enum(p\u001bq,r)=r"],
          "arg_descriptions": {"m": "\u001b]0;title\u0007"},
          "label": "l\u001b[1m", "when": "m != '\u001b'", "template": "echo \u001b[31m {m}", "env": {"E\u001b": "1"}},
    "b": {"label": "l\u001b[1m", "template": "echo \u001b[31m", "output": "\u001b/x"},
    "\u001b[31mred": "x", "c": {"\u001b": 1}}})");
  const auto shown = [&](const char* name) {
    const Printed result =
        printed([&](Console& console) { return tools({.name = name}, console, folders.around); });
    return result.out + result.err;
  };
  const auto plan = [&](const char* name) {
    const Printed result = printed([&](Console& console) {
      return run_command({.tool = name, .dry_run = true}, console, folders.around);
    });
    return result.out + result.err;
  };
  for (const std::string& out : {check_here(folders).out, shown(""), shown("b"), shown("\x1b"),
                                 plan("b"), plan("c"), plan("\x1b[1m")}) {
    EXPECT_NE(out, "");
    EXPECT_THAT(out, ::testing::Not(HasSubstr("\x1b")));
    EXPECT_THAT(out, ::testing::Not(HasSubstr("\xC2\x9B")));
    EXPECT_THAT(out, ::testing::Not(HasSubstr("\a")));
  }
}

TEST(Check, RiskLabelsAreNotesAndNoErrors) {
  const Folders folders;
  folders.write("home/project/recipes/sh.json", R"({"template": "bash -c 'echo hi'"})");
  const Printed result = check_here(folders, {.path = "recipes/sh.json"});
  EXPECT_EQ(result.code, kDone) << result.out;
  EXPECT_THAT(result.out, HasSubstr("recipes/sh.json:1:2: note: "));
  EXPECT_THAT(result.out, HasSubstr("program text"));
}

TEST(Check, TheJsonHasFindingsAndTools) {
  const Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"a": "bash x", "b": ""}})");
  const Printed result = check_here(folders, {.json = true});
  EXPECT_EQ(result.code, kRefused);
  const auto report = parse_json(result.out);
  ASSERT_TRUE(report);
  const Json* findings = find(*report, "findings");
  ASSERT_TRUE(findings != nullptr && findings->is_array() && findings->get_array().size() == 2);
  EXPECT_EQ(find_text(findings->get_array()[0], "severity"), "note");
  const Json& error = findings->get_array()[1];
  EXPECT_EQ(find_text(error, "rule"), "template.empty_command");
  EXPECT_EQ(find_text(error, "pointer"), "/tools/b");
  EXPECT_EQ(find_text(error, "severity"), "error");
  EXPECT_EQ(write_json(*find(error, "line")), "1");
  EXPECT_EQ(write_json(*find(error, "column")), "27");
  EXPECT_EQ(write_json(*find(*report, "tools")), R"([{"name":"a","risks":["risk.shell"]}])");
}

TEST(Check, WithoutAnyFileItSaysHowToBegin) {
  const Folders folders;
  const Printed result = check_here(folders);
  EXPECT_EQ(result.code, kRefused);
  EXPECT_THAT(result.err, HasSubstr("helve init"));
}

TEST(Check, PrintsTheSchema) {
  const Folders folders;
  const Printed result = check_here(folders, {.schema = true});
  EXPECT_EQ(result.code, kDone);
  EXPECT_EQ(result.out, config_schema());
}

TEST(Tools, TheTableIsAlignedAndCutAtTheTerminal) {
  const Folders folders;
  folders.write("home/project/helve.json",
                R"({"tools": {"a": {"template": "bash {x} {y=1}", "description": "First\nsecond"},
                   "longer": {"template": "true", "description": "Does nothing at all"}}})");
  const auto list = [&](Console& console) { return tools({}, console, folders.around); };
  EXPECT_EQ(printed(list).out,
            "TOOL    ARGUMENTS  RISKS  DESCRIPTION\n"
            "a       x [y]      shell  First\n"
            "longer                    Does nothing at all\n");
  EXPECT_EQ(printed(list, 30).out,
            "TOOL    ARGUMENTS  RISKS  DES…\n"
            "a       x [y]      shell  Fir…\n"
            "longer                    Doe…\n");
}

TEST(Tools, OneToolIsShownInFull) {
  const Folders folders;
  folders.write("home/project/helve.json",
                R"({"tools": {"get": {"args": ["url", "n:int=3"], "secret": ["url"], "retry": 2,
                   "arg_descriptions": {"n": "how often"},
                   "template": ["curl --url {url}", {"template": "head -n {n}", "label": "cut"}]}}})");
  const Printed result =
      printed([&](Console& console) { return tools({.name = "get"}, console, folders.around); });
  EXPECT_EQ(result.code, kDone);
  for (const char* part :
       {"get  helve.json:1\n", "  url       text  required  (secret)\n",
        "  n         int   3         how often\n",
        "  one after the other  [retry 2]\n    curl --url {url}\n    cut: head -n {n}\n",
        ": note: ", ": warning: ", "  helve run get url=",
        "{\"name\":\"get\",\"arguments\":{\"url\":", "\"additionalProperties\": false"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
}

TEST(Tools, NamesAreForCompletion) {
  const Folders folders;
  folders.write(
      "home/project/helve.json",
      R"({"tools": {"a": {"args": ["x", "l:array"], "template": "t {x} {l}"}, "bad": ""}})");
  const auto names = [&](const char* name) {
    return printed([&](Console& console) {
      return tools({.name = name, .names = true}, console, folders.around);
    });
  };
  EXPECT_EQ(names("").out, "a\n");
  EXPECT_EQ(names("").err, "");
  EXPECT_EQ(names("a").out, "x=\nl:=\n");
}

TEST(Tools, NamesHaveTheValuesOfAChoice) {
  const Folders folders;
  folders.write(
      "home/project/helve.json",
      R"json({"tools": {"a": {"args": ["m:enum(x,y)", "f:bool"], "template": "t {m} {f}"}}})json");
  EXPECT_EQ(printed([&](Console& console) {
              return tools({.name = "a", .names = true}, console, folders.around);
            }).out,
            "m=\nm=x\nm=y\nf=\nf=true\nf=false\n");
}

TEST(Tools, AToolThatLacksAVariableIsListedAndSaysSo) {
  const Folders folders;
  folders.write(
      "home/project/helve.json",
      R"({"tools": {"a": {"template": "x", "description": "Fetches.", "env": {"K": "${NOPE}"}},
                              "b": {"template": "y", "cwd": "${GONE}/x"}, "c": "z"}})");
  const auto show = [&](const ToolsRequest& request) {
    return printed([&](Console& console) { return tools(request, console, folders.around); }).out;
  };
  EXPECT_THAT(show({}), HasSubstr("(the variable NOPE is not set) Fetches.\n"));
  EXPECT_THAT(show({}), HasSubstr("(the variable GONE is not set) "));
  EXPECT_THAT(show({.name = "a"}), HasSubstr("It cannot run: the variable NOPE is not set\n"));
  EXPECT_THAT(show({.name = "a", .json = true}), HasSubstr("\"rule\": \"config.variable_unset\""));
  EXPECT_THAT(show({.name = "c"}), ::testing::Not(HasSubstr("cannot run")));
}

TEST(Tools, ABrokenConfigurationIsNoMissingOne) {
  const Folders folders;
  folders.write("home/project/helve.json", "{");
  const Printed result =
      printed([&](Console& console) { return tools({}, console, folders.around); });
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("`helve check` shows them"));
}

TEST(Tools, RefusesARootThatIsNoFolder) {
  const Folders folders;
  const Printed result = printed([&](Console& console) {
    return tools({.locations = {.root = "/nope"}}, console, folders.around);
  });
  EXPECT_EQ(result.code, kRefused);
  EXPECT_THAT(result.err, HasSubstr("/nope is not a folder"));
}

TEST(Tools, AnUnknownNameGetsASuggestion) {
  const Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"deploy": "x"}})");
  const Printed result =
      printed([&](Console& console) { return tools({.name = "depoly"}, console, folders.around); });
  EXPECT_EQ(result.code, kRefused);
  EXPECT_THAT(result.err, HasSubstr("did you mean \"deploy\"?"));
}

TEST(Init, WritesAFileThatCheckLikesAndNeverOverwrites) {
  const Folders folders;
  const auto begin = [&](Console& console) { return init({}, console, folders.around); };
  EXPECT_EQ(printed(begin).code, kDone);
  const Printed checked = check_here(folders);
  EXPECT_EQ(checked.code, kDone) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("all good: 3 tools in 1 file\n"));
  const Printed again = printed(begin);
  EXPECT_EQ(again.code, kRefused);
  EXPECT_THAT(again.err, HasSubstr("there is already a file helve.json"));
}

TEST(Examples, HaveNoErrorsAndNoWarnings) {
  const Folders folders;
  const Printed result = check_here(folders, {.path = HELVE_SOURCE_DIR "/examples"});
  EXPECT_EQ(result.code, kDone);
  EXPECT_THAT(result.out, HasSubstr("all good: 6 tools in 4 files\n")) << result.out;
}

}  // namespace
}  // namespace helve::host
