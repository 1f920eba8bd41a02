// `helve check`, `helve tools` and `helve init`: what they print.
#include "host/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/texts.h"
#include "host/init.h"
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
  EXPECT_THAT(result.out, HasSubstr("1 errors and 0 warnings in 1 files; 0 tools are usable\n"));
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
  EXPECT_THAT(checked.out, HasSubstr("all good: 3 tools in 1 files, 0 warnings"));
  const Printed again = printed(begin);
  EXPECT_EQ(again.code, kRefused);
  EXPECT_THAT(again.err, HasSubstr("there is already a file helve.json"));
}

TEST(Examples, HaveNoErrorsAndNoWarnings) {
  const Folders folders;
  const Printed result = check_here(folders, {.path = HELVE_SOURCE_DIR "/examples"});
  EXPECT_EQ(result.code, kDone);
  EXPECT_THAT(result.out, HasSubstr("all good: 6 tools in 4 files, 0 warnings")) << result.out;
}

}  // namespace
}  // namespace helve::host
