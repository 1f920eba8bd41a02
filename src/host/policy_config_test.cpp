// "policy", "serve", the limits of calls and what a tool tells its hosts: as read from files.
#include <gtest/gtest.h>

#include "base/texts.h"
#include "host/address.h"
#include "host/config.h"
#include "host/testing/describe.h"
#include "host/testing/folders.h"
#include "schema/schema.h"
#include "template/detail/risk.h"

namespace helve::host {
namespace {

using testing::describe;
using testing::Folders;

Config project(std::string_view text) {
  return load_text(text, Kind::kProject, "", "helve.json",
                   {.cwd = "/srv/shop", .home = "/home/ann"});
}

struct Case {
  const char *name, *text, *want;
};

constexpr Case kCases[] = {
    {"a policy of a project",
     R"({"policy": {"profile": "careful", "labels": {"network": "ask"},
         "tools": {"deploy": "deny"}}, "tools": {"deploy": "x"}})",
     ""},
    {"a policy that is no object", R"({"policy": "locked"})", "1:2 config.wrong_type /policy\n"},
    {"an unknown field of a policy", R"({"policy": {"profil": "open"}})",
     "1:13 config.unknown_field /policy/profil\n"},
    {"an unknown profile", R"({"policy": {"profile": "strict"}})",
     "1:13 config.wrong_type /policy/profile\n"},
    {"an unknown verdict", R"({"policy": {"labels": {"network": "never"}}})",
     "1:24 config.wrong_type /policy/labels/network\n"},
    {"a verdict on a tool that is no text", R"({"policy": {"tools": {"bash": true}}})",
     "1:23 config.wrong_type /policy/tools/bash\n"},
    {"an unknown label", R"({"policy": {"labels": {"networks": "ask"}}})",
     "1:24 config.no_such_label /policy/labels/networks\n"},
    {"a label as reports name it", R"({"policy": {"labels": {"risk.shell": "ask"}}})",
     "1:24 config.no_such_label /policy/labels/risk.shell\n"},
    {"a tool that is not there", R"({"policy": {"tools": {"depoly": "ask"}},
 "tools": {"deploy": "x"}})",
     "1:23 warning config.policy_no_such_tool /policy/tools/depoly\n"},
    {"a tool of the host", R"({"policy": {"tools": {"bash": "ask", "tool_search": "deny"}}})", ""},
    {"a tool that is broken is there all the same",
     R"({"policy": {"tools": {"a": "ask"}}, "tools": {"a": ""}})",
     "1:47 template.empty_command /tools/a\n"},
    {"a project that only allows",
     R"({"policy": {"profile": "open", "labels": {"shell": "allow"},
 "tools": {"bash": "allow", "read": "ask"}}})",
     "1:13 warning config.policy_not_loosened /policy/profile\n"
     "1:43 warning config.policy_not_loosened /policy/labels/shell\n"
     "2:12 warning config.policy_not_loosened /policy/tools/bash\n"},
    {"a project that allows what it tightens",
     R"({"policy": {"profile": "locked", "tools": {"bash": "allow"}}})", ""},
    {"a port of its own", R"({"serve": {"listen": "127.0.0.1:8080"}})", ""},
    {"a server that is no object", R"({"serve": ":80"})", "1:2 config.wrong_type /serve\n"},
    {"an unknown field of a server", R"({"serve": {"host": []}})",
     "1:12 config.unknown_field /serve/host\n"},
    {"a project that listens to all", R"({"serve": {"listen": "0.0.0.0:80"}})",
     "1:12 config.serve_untrusted /serve/listen\n"},
    {"a project that names hosts and origins",
     R"({"serve": {"hosts": ["a.org"], "origins": ["https://a.org"]}})",
     "1:12 config.serve_untrusted /serve/hosts\n1:32 config.serve_untrusted /serve/origins\n"},
    {"a project that names none", R"({"serve": {"hosts": [], "origins": []}})", ""},
    {"an address without a port", R"({"serve": {"listen": "127.0.0.1"}})",
     "1:12 serve.listen_invalid /serve/listen\n"},
    {"a host that is no text", R"({"serve": {"hosts": [1]}})",
     "1:22 config.wrong_type /serve/hosts/0\n1:12 config.serve_untrusted /serve/hosts\n"},
    {"a wait within bounds", R"({"limits": {"wait_ms": 45000, "session_jobs": 1}})", ""},
    {"a wait beyond what hosts wait", R"({"limits": {"wait_ms": 45001}})",
     "1:13 config.out_of_range /limits/wait_ms\n"},
    {"a wait that is none", R"({"limits": {"wait_ms": 99}})",
     "1:13 config.out_of_range /limits/wait_ms\n"},
    {"more jobs than there can be", R"({"limits": {"session_jobs": 1025}})",
     "1:13 config.out_of_range /limits/session_jobs\n"},
    {"a project that raises the jobs", R"({"limits": {"session_jobs": 65}})",
     "1:13 config.limit_raised /limits/session_jobs\n"},
    {"what a tool tells its hosts",
     R"({"tools": {"a": {"template": "x", "title": "A", "read_only": true, "destructive": false,
         "idempotent": true, "open_world": false, "deferred": true, "detach": true,
         "prompt": false}}})",
     ""},
    {"a title that is no text", R"({"tools": {"a": {"template": "x", "title": 1}}})",
     "1:35 config.wrong_type /tools/a/title\n"},
    {"a flag in quotes", R"({"tools": {"a": {"template": "x", "detach": "true"}}})",
     "1:35 config.wrong_type /tools/a/detach\n"},
    {"a flag inside the template", R"({"tools": {"a": [{"template": "x", "deferred": true}]}})",
     "1:36 config.inner_field /tools/a/0/deferred\n"},
    {"read-only and destructive",
     R"({"tools": {"a": {"template": "x", "read_only": true, "destructive": true}}})",
     "1:35 warning config.read_only_doubtful /tools/a/read_only\n"},
    {"read-only, and it deletes", R"({"tools": {"a": {"template": "rm -r b", "read_only": true}}})",
     "1:41 warning config.read_only_doubtful /tools/a/read_only\n"},
};

TEST(PolicyConfig, NamesEveryProblemWithItsPlace) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(project(c.text)), c.want);
  }
}

// What editors accept and what we accept is the same, but for what depends on the file's place.
TEST(PolicyConfig, TheSchemaTakesWhatTheLoaderTakes) {
  const auto compiled = schema::Schema::compile(*parse_json(config_schema()));
  ASSERT_TRUE(compiled);
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const Config config = project(c.text);
    bool depends = false;
    for (const Problem& problem : config.problems) {
      const std::string& rule = problem.finding.what.rule;
      depends |= rule == "config.serve_untrusted" || rule == "config.limit_raised" ||
                 rule.starts_with("template.empty");
    }
    if (!depends) EXPECT_EQ(compiled->accepts(*parse_json(c.text)), !config.has_errors());
  }
}

TEST(PolicyConfig, SuggestsWhatIsMeant) {
  const Case hints[] = {
      {"a label", R"({"policy": {"labels": {"networks": "ask"}}})",
       "there is no risk label \"networks\"; did you mean \"network\"?"},
      {"a label with its prefix", R"({"policy": {"labels": {"risk.shell": "ask"}}})",
       "there is no risk label \"risk.shell\"; did you mean \"shell\"?"},
      {"a tool", R"({"policy": {"tools": {"basch": "ask"}}})",
       "the policy names a tool \"basch\" that is not here; did you mean \"bash\"?"},
      {"a profile", R"({"policy": {"profile": "strict"}})",
       "\"profile\" must be \"open\", \"careful\" or \"locked\"; found: string \"strict\""},
      {"a verdict", R"({"policy": {"tools": {"bash": "no"}}})",
       "\"tools.bash\" must be \"allow\", \"ask\" or \"deny\"; found: string \"no\""},
  };
  for (const Case& c : hints) {
    SCOPED_TRACE(c.name);
    const Config config = project(c.text);
    ASSERT_FALSE(config.problems.empty());
    EXPECT_EQ(render(config.problems.front().finding.what).message, c.want);
  }
}

TEST(PolicyConfig, ReadsWhatAToolTellsItsHosts) {
  const Config config = project(
      R"({"tools": {"a": {"template": "x", "title": "A b", "read_only": true, "open_world": false,
           "deferred": true, "detach": true}, "b": {"template": "y", "prompt": true,
           "destructive": false, "idempotent": true}}})");
  ASSERT_EQ(config.tools.size(), 2U);
  const ToolConfig &a = config.tools[0], &b = config.tools[1];
  EXPECT_EQ(a.title, "A b");
  EXPECT_EQ(a.read_only, true);
  EXPECT_EQ(a.open_world, false);
  EXPECT_EQ(a.destructive, std::nullopt);
  EXPECT_TRUE(a.deferred && a.detach && !a.prompt);
  EXPECT_EQ(b.destructive, false);
  EXPECT_EQ(b.idempotent, true);
  EXPECT_TRUE(b.prompt && !b.deferred && !b.detach);
}

TEST(PolicyConfig, EachFileIsALayerAndOnlyTheUsersIsTrusted) {
  const Folders folders;
  folders.write("home/.config/helve/helve.json",
                R"({"policy": {"profile": "open", "tools": {"elsewhere": "deny"}},
                    "serve": {"listen": "0.0.0.0:80", "hosts": ["tools.example.org"],
                              "origins": ["https://app.example.org"]},
                    "limits": {"wait_ms": 1000, "session_jobs": 100, "open_files": 50}})");
  folders.write("home/project/helve.json",
                R"({"policy": {"labels": {"network": "ask"}, "tools": {"b": "ask"}}})");
  folders.write("home/project/recipes/b.json", R"("echo b")");
  const Config config = load({}, folders.around);
  EXPECT_EQ(describe(config), "");  // b is a recipe, and the user's tools may be elsewhere
  ASSERT_EQ(config.policy.layers.size(), 2U);
  EXPECT_TRUE(config.policy.layers[0].trusted);
  EXPECT_FALSE(config.policy.layers[1].trusted);
  EXPECT_EQ(config.policy.layers[1].file, "helve.json");
  EXPECT_EQ(config.policy.layers[0].profile, policy::Profile::kOpen);
  EXPECT_EQ(config.policy.layers[1].labels.at("network"), policy::Verdict::kAsk);
  EXPECT_EQ(config.policy.limits.open_files, 50U);
  EXPECT_EQ(config.calls.wait_ms, 1000U);
  EXPECT_EQ(config.calls.session_jobs, 100U);
  EXPECT_EQ(config.serve.listen, "0.0.0.0:80");
  EXPECT_EQ(config.serve.hosts, std::vector<std::string>{"tools.example.org"});
  EXPECT_EQ(config.serve.origins, std::vector<std::string>{"https://app.example.org"});
}

TEST(PolicyConfig, ANamedFileHasTheRightsOfTheUsers) {
  const Folders folders;
  folders.write("my.json", R"({"policy": {"profile": "open", "tools": {"nope": "allow"}},
                               "serve": {"listen": "[::]:80", "hosts": ["a.org", "b c"],
                                         "origins": ["a.org", "https://a.org/"]}})");
  const Config config = load({.config = folders.top() / "my.json"}, folders.around);
  EXPECT_EQ(describe(config),
            "2:82 config.serve_host_invalid /serve/hosts/1\n"
            "3:54 config.serve_origin_invalid /serve/origins/0\n"
            "3:63 config.serve_origin_invalid /serve/origins/1\n"
            "1:42 warning config.policy_no_such_tool /policy/tools/nope\n");
  EXPECT_TRUE(config.policy.layers.at(0).trusted);
  EXPECT_EQ(config.serve.listen, "[::]:80");
}

// CT-97: the labels that a policy can name are those that templates get.
TEST(PolicyConfig, KnowsEveryLabelOfTemplates) {
  const auto labels = policy::risk_labels();
  EXPECT_EQ(std::vector(labels.begin(), labels.end()),
            std::vector(tmpl::kRiskLabels.begin(), tmpl::kRiskLabels.end()));
}

constexpr Case kAddresses[] = {
    {"the usual one", "127.0.0.1:7717", "127.0.0.1 7717 loopback"},
    {"all of 127", "127.9.9.9:1", "127.9.9.9 1 loopback"},
    {"a name that only begins so", "127.evil.org:1", "serve.listen_invalid"},
    {"localhost", "LocalHost:0", "LocalHost 0 loopback"},
    {"IPv6 loopback", "[::1]:65535", "::1 65535 loopback"},
    {"all of IPv4", "0.0.0.0:80", "0.0.0.0 80"},
    {"all of IPv6", "[::]:80", ":: 80"},
    {"mapped loopback is not loopback", "[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1 80"},
    {"IPv6 without brackets", "::1:80", "serve.listen_invalid"},
    {"IPv4 in brackets", "[127.0.0.1]:80", "serve.listen_invalid"},
    {"no port", "127.0.0.1", "serve.listen_invalid"},
    {"an empty port", "127.0.0.1:", "serve.listen_invalid"},
    {"a port that is too large", "127.0.0.1:65536", "serve.listen_invalid"},
    {"a port with a sign", "127.0.0.1:+80", "serve.listen_invalid"},
    {"a port alone", ":80", "serve.listen_invalid"},
    {"a name", "tools.example.org:80", "serve.listen_invalid"},
    {"nothing", "", "serve.listen_invalid"},
};

TEST(Address, IsReadOrRefused) {
  for (const Case& c : kAddresses) {
    SCOPED_TRACE(c.name);
    const Result<Address> read = parse_address(c.text);
    std::string said = read ? read->host + ' ' + std::to_string(read->port) : read.error().rule;
    if (read && read->loopback) said += " loopback";
    EXPECT_EQ(said, c.want);
  }
}

TEST(Address, NamesAndOriginsAreWhatHeadersHold) {
  const struct {
    const char* text;
    bool host, origin;
  } cases[] = {
      {"tools.example.org", true, false},
      {"tools.example.org:8443", true, false},
      {"[2001:db8::1]:80", true, false},
      {"[2001:db8::1]x", false, false},
      {"tools.example.org/", false, false},
      {"*.example.org", false, false},
      {"a b", false, false},
      {"", false, false},
      {"a:b", false, false},
      {"null", true, true},
      {"https://app.example.org", false, true},
      {"https://app.example.org:8443", false, true},
      {"vscode-webview://abc", false, true},
      {"https://app.example.org/", false, false},
      {"HTTPS://app.example.org", false, false},
      {"://a", false, false},
      {"https://", false, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(is_host_name(c.text), c.host);
    EXPECT_EQ(is_origin(c.text), c.origin);
  }
}

}  // namespace
}  // namespace helve::host
