#include "cli/cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

#include "base/text.h"
#include "base/texts.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "host/testing/folders.h"

namespace helve::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// "command(operand, ...) --option=value ..."
std::string describe(const Result<Invocation>& parsed) {
  if (!parsed) return "refused " + render(parsed.error()).rule;
  std::string out(parsed->command == nullptr ? "helve" : parsed->command->name);
  for (const std::string& operand : parsed->operands) out += " <" + operand + '>';
  for (const auto& [name, value] : parsed->values) {
    out += ' ' + name + (value.empty() ? "" : '=' + value);
  }
  return out;
}

struct Case {
  const char* name;
  std::vector<std::string> words;
  const char* want;
};

const Case kCases[] = {
    {"nothing", {}, "helve"},
    {"help", {"--help"}, "helve --help"},
    {"help of a command", {"run", "-h"}, "run --help"},
    {"version as an option", {"--version"}, "version"},
    {"version as a letter", {"-V"}, "version"},
    {"help as a command", {"help", "run"}, "help <run>"},
    {"a run that reads standard input", {"run", "t", "--stdin"}, "run <t> --stdin"},
    {"global options in front", {"--root", "/srv", "check"}, "check --root=/srv"},
    {"global options behind", {"check", "--root=/srv"}, "check --root=/srv"},
    {"a tool with arguments", {"run", "t", "a=1", "b:=[1,2]"}, "run <t> <a=1> <b:=[1,2]>"},
    {"options among arguments",
     {"run", "t", "-n", "a=1", "--jobs", "4"},
     "run <t> <a=1> --dry-run --jobs=4"},
    {"a tool that is named like a command", {"run", "check", "tools=1"}, "run <check> <tools=1>"},
    {"a template that looks like a list",
     {"run", "-t", "[\"a\",\"b\"]"},
     "run --template=[\"a\",\"b\"]"},
    {"everything after --", {"run", "t", "--", "--x=1"}, "run <t> <--x=1>"},
    {"the jobs of all servers", {"jobs", "--json"}, "jobs --json"},
    {"one job", {"jobs", "follow", "job_1"}, "jobs <follow> <job_1>"},
    {"more than one job", {"jobs", "stop", "a", "b"}, "refused usage.operand_unexpected"},
    {"an unknown command", {"chekc"}, "refused usage.unknown_command"},
    {"an unknown option", {"check", "--jsno"}, "refused usage.unknown_option"},
    {"an option without its value", {"run", "t", "--jobs"}, "refused usage.value_missing"},
    {"no tool", {"run"}, "refused usage.operand_missing"},
    {"too much", {"check", "a", "b"}, "refused usage.operand_unexpected"},
    {"too much for a command without operands", {"init", "a"}, "refused usage.operand_unexpected"},
};

TEST(Parse, TheCommandLine) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(parse(c.words)), c.want);
  }
}

TEST(Parse, SuggestsTheClosestWord) {
  const auto parsed = parse({"check", "--jsno"});
  ASSERT_FALSE(parsed);
  EXPECT_EQ(render(parsed.error()).message,
            "helve check has no option --jsno; did you mean \"--json\"?");
}

struct Printed {
  int code;
  std::string out, err;
};

Printed run_words(const std::vector<std::string>& words,
                  const host::Surroundings& around = {.cwd = "/", .home = "/home/nobody"}) {
  std::ostringstream out, err;
  host::Console console{.out = out, .err = err};
  const int code = run(words, console, around);
  return {code, out.str(), err.str()};
}

TEST(Help, EveryCommandHasUsageExamplesAndAllItsOptions) {
  for (const Command& command : commands()) {
    SCOPED_TRACE(command.name);
    const Printed help = run_words({std::string(command.name), "--help"});
    EXPECT_EQ(help.code, host::kDone);
    EXPECT_THAT(help.out, HasSubstr("Usage: helve " + std::string(command.name)));
    EXPECT_THAT(help.out, HasSubstr("\nExamples:\n  "));
    for (const Option& option : command.options) {
      if (!option.hidden) EXPECT_THAT(help.out, HasSubstr(std::string(option.name)));
    }
    EXPECT_THAT(man_page(), HasSubstr(".SS helve " + std::string(command.name)));
  }
}

TEST(Help, TheProgramListsItsCommands) {
  const Printed help = run_words({"--help"});
  EXPECT_EQ(help.code, host::kDone);
  for (const Command& command : commands()) {
    EXPECT_THAT(help.out, HasSubstr("\n  " + std::string(command.name) + ' '));
  }
  EXPECT_THAT(help.out, HasSubstr("\nExamples:\n"));
}

TEST(Help, IsACommandToo) {
  EXPECT_EQ(run_words({"help"}).out, run_words({"--help"}).out);
  EXPECT_EQ(run_words({"help", "run"}).out, run_words({"run", "--help"}).out);
  EXPECT_EQ(run_words({"help", "rnu"}).code, host::kUsage);
}

TEST(Help, OfRunNamesTheExitCodes) {
  const std::string help = run_words({"run", "--help"}).out;
  for (const char* code : {"\n  2  ", "\n  74  ", "\n  124  ", "\n  126,127  ", "\n  130  "}) {
    EXPECT_THAT(help, HasSubstr(code));
  }
  EXPECT_THAT(man_page(), HasSubstr("\n126,127"));
}

TEST(Cli, AToolIsFoundWhereACommandIsExpected) {
  const host::testing::Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"log": "git log -n {n:int=3}"}})");
  const Printed told = run_words({"log"}, folders.around);
  EXPECT_EQ(told.code, host::kUsage);
  EXPECT_EQ(told.err, "helve: log is a tool, not a command\nNext: helve run log\n");
  host::Surroundings elsewhere = folders.around;
  elsewhere.cwd = "/";
  const std::string root = folders.project().string();
  EXPECT_EQ(run_words({"--root", root, "log"}, elsewhere).err, told.err);
  EXPECT_THAT(run_words({"log"}, elsewhere).err, HasSubstr("there is no command \"log\""));
}

TEST(Cli, HelpBehindAToolShowsTheTool) {
  const host::testing::Folders folders;
  folders.write("home/project/helve.json", R"({"tools": {"log": "git log -n {n:int=3}"}})");
  const Printed shown = run_words({"run", "log", "n=1", "--help"}, folders.around);
  EXPECT_EQ(shown.code, host::kDone);
  EXPECT_EQ(shown.out, run_words({"tools", "log"}, folders.around).out);
}

TEST(Cli, UsageErrorsExitWithTwo) {
  EXPECT_EQ(run_words({}).code, host::kUsage);
  const Printed unknown = run_words({"rnu"});
  EXPECT_EQ(unknown.code, host::kUsage);
  EXPECT_EQ(unknown.err,
            "helve: there is no command \"rnu\"; did you mean \"run\"?\n"
            "Next: `helve --help` lists the commands\n");
  EXPECT_EQ(run_words({"completions", "csh"}).code, host::kUsage);
}

TEST(Cli, PrintsTheVersion) { EXPECT_THAT(run_words({"version"}).out, StartsWith("helve ")); }

TEST(Completions, KnowCommandsOptionsAndAskForTools) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    SCOPED_TRACE(shell);
    const Printed script = run_words({"completions", shell});
    EXPECT_EQ(script.code, host::kDone);
    for (const char* part : {"helve tools --names", "conform", "dry-run", "completions"}) {
      EXPECT_THAT(script.out, HasSubstr(part));
    }
    EXPECT_THAT(script.out, ::testing::Not(HasSubstr("@COMMANDS@")));
  }
}

// For sh, which may not know the $'...' of shell_quote.
std::string single_quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Stands in for the program: the tool `t` has a text, a switch and a choice.
constexpr const char* kFakeHelve =
    "helve() {\n"
    "  if [[ $2 == t ]]; then printf '%s\\n' text= flag= flag=true flag=false mode= mode=ab "
    "mode=b\n"
    "  else echo t; fi\n"
    "}\n";

// bash is the one shell that every Debian has.
TEST(Completions, OfBashOfferWhatFits) {
  const Case kWords[] = {
      {"commands", {"che"}, "check"},
      {"options of a command", {"check", "--sch"}, "--schema"},
      {"shells", {"completions", "f"}, "fish"},
      {"nothing behind a command without operands", {"init", ""}, ""},
      {"commands behind help", {"help", "che"}, "check"},
      {"options of the program", {"--ro"}, "--root"},
      {"options of run before the tool", {"run", "--dr"}, "--dry-run"},
      {"options of run behind the tool", {"run", "t", "--dr"}, "--dry-run"},
      {"tools", {"run", "t"}, "t"},
      {"arguments without their values", {"run", "t", ""}, "text= flag= mode="},
      {"the values of a choice", {"run", "t", "mode", "="}, "ab b"},
      {"the values of a choice that begin so", {"run", "t", "mode", "=", "a"}, "ab"},
      {"the values of a switch", {"run", "t", "flag", "="}, "true false"},
  };
  for (const Case& c : kWords) {
    SCOPED_TRACE(c.name);
    std::vector<std::string> line = {"helve"};
    line.insert(line.end(), c.words.begin(), c.words.end());
    const std::string script =
        *completion_script("bash") + kFakeHelve + "COMP_WORDS=(" + shell_quote(line) +
        "); COMP_CWORD=" + std::to_string(c.words.size()) + "; _helve; echo \"${COMPREPLY[@]}\"\n";
    FILE* bash = ::popen(("bash --norc -c " + single_quoted(script)).c_str(), "r");
    ASSERT_NE(bash, nullptr);
    char said[256] = {};
    const size_t size = std::fread(said, 1, sizeof said - 1, bash);
    EXPECT_EQ(::pclose(bash), 0);
    EXPECT_EQ(std::string(said, size), std::string(c.want) + '\n');
  }
}

}  // namespace
}  // namespace helve::cli
