// Which variables a command gets (WS-30, WS-31; WF-18).
#include "workspace/variables.h"

#include <gtest/gtest.h>

namespace helve::workspace {
namespace {

struct Case {
  const char* name;
  Variables host;
  std::vector<std::string> added;
  const char* variable;
  const char* want;  // null: not there
};

const Case kCases[] = {
    {"WS-31 PATH passes", {{"PATH", "/bin"}}, {}, "PATH", "/bin"},
    {"WS-31 without a PATH the usual one",
     {},
     {},
     "PATH",
     "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
    {"WF-18 a key stays", {{"API_KEY", "secret"}}, {}, "API_KEY", nullptr},
    {"WF-18 an agent's socket stays", {{"SSH_AUTH_SOCK", "/x"}}, {}, "SSH_AUTH_SOCK", nullptr},
    {"WS-31 what the owner adds passes",
     {{"CARGO_HOME", "/c"}},
     {"CARGO_HOME"},
     "CARGO_HOME",
     "/c"},
    {"WS-31 by its beginning, too", {{"CARGO_HOME", "/c"}}, {"CARGO_*"}, "CARGO_HOME", "/c"},
    {"WS-31 not if only a part is the same",
     {{"XCARGO_HOME", "/c"}},
     {"CARGO_*"},
     "XCARGO_HOME",
     nullptr},
    {"WS-31 never ours", {{"HELVE_TOKEN", "t"}}, {"HELVE_*", "*"}, "HELVE_TOKEN", nullptr},
    {"WS-31 XDG_*", {{"XDG_CACHE_HOME", "/x"}}, {}, "XDG_CACHE_HOME", "/x"},
    {"WS-31 a UTF-8 locale is kept", {{"LANG", "de_DE.UTF-8"}}, {}, "LANG", "de_DE.UTF-8"},
    {"WS-31 another one is not", {{"LANG", "de_DE"}}, {}, "LANG", "C.UTF-8"},
    {"WS-31 none is C.UTF-8", {}, {}, "LANG", "C.UTF-8"},
    {"WS-31 LC_ALL decides", {{"LANG", "en_US.utf8"}, {"LC_ALL", "C"}}, {}, "LANG", "C.UTF-8"},
    {"WS-31 and goes", {{"LANG", "en_US.utf8"}, {"LC_ALL", "C"}}, {}, "LC_ALL", nullptr},
    {"WS-31 a dumb terminal", {{"TERM", "xterm"}}, {}, "TERM", "dumb"},
    {"WS-30 no prompt of git", {}, {}, "GIT_TERMINAL_PROMPT", "0"},
    {"WS-30 no pager", {{"PAGER", "less"}}, {"PAGER"}, "PAGER", "cat"},
    {"WS-30 no editor", {{"EDITOR", "vi"}}, {"EDITOR"}, "EDITOR", "/refuses"},
    {"WS-30 no sequence editor", {}, {}, "GIT_SEQUENCE_EDITOR", "/refuses"},
};

TEST(CommandVariables, AreAnAllowList) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Variables variables = command_variables(c.host, c.added, "/refuses");
    const auto found = variables.find(c.variable);
    if (c.want == nullptr) {
      EXPECT_EQ(found, variables.end());
    } else {
      ASSERT_NE(found, variables.end());
      EXPECT_EQ(found->second, c.want);
    }
  }
}

TEST(CommandVariables, TheEditorIsAScriptThatRefuses) {
  const std::string script = refusing_editor();
  EXPECT_TRUE(script.starts_with("#!/bin/sh\n"));
  EXPECT_TRUE(script.ends_with("exit 1\n"));
}

}  // namespace
}  // namespace helve::workspace
