// What is printed for each host is what that host reads.
#include "host/hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/json.h"
#include "base/texts.h"

namespace helve::host {
namespace {

const StdioServer kStdio{"helve", "/usr/bin/helve", "/srv/my app", ""};
const HttpServer kHttp{"helve", "http://127.0.0.1:7717/mcp", "hlv_secret"};

struct Case {
  const char *host, *file, *want;
};

constexpr Case kStdioCases[] = {
    {"claude-code", ".mcp.json",
     R"({"mcpServers":{"helve":{"type":"stdio","command":"/usr/bin/helve","args":["mcp","--root","/srv/my app"]}}})"},
    {"claude-desktop", "claude_desktop_config.json",
     R"({"mcpServers":{"helve":{"command":"/usr/bin/helve","args":["mcp","--root","/srv/my app"]}}})"},
    {"vscode", ".vscode/mcp.json",
     R"({"servers":{"helve":{"type":"stdio","command":"/usr/bin/helve","args":["mcp","--root","/srv/my app"]}}})"},
    {"copilot-cli", "~/.copilot/mcp-config.json",
     R"({"mcpServers":{"helve":{"type":"local","tools":["*"],"command":"/usr/bin/helve","args":["mcp","--root","/srv/my app"]}}})"},
    {"cursor", ".cursor/mcp.json",
     R"({"mcpServers":{"helve":{"command":"/usr/bin/helve","args":["mcp","--root","/srv/my app"]}}})"},
    {"gemini-cli", "~/.gemini/settings.json",
     R"({"mcpServers":{"helve":{"command":"/usr/bin/helve","args":["mcp","--root","/srv/my app"]}}})"},
    {"mcp-json", "mcp.json",
     R"({"mcpServers":{"helve":{"type":"stdio","command":"/usr/bin/helve","args":["mcp","--root","/srv/my app"]}}})"},
};

constexpr Case kHttpCases[] = {
    {"claude-code", "~/.claude.json",
     R"({"mcpServers":{"helve":{"type":"http","url":"http://127.0.0.1:7717/mcp","headers":{"Authorization":"Bearer hlv_secret"}}}})"},
    {"vscode", "mcp.json (MCP: Open User Configuration)",
     R"({"servers":{"helve":{"type":"http","url":"http://127.0.0.1:7717/mcp","headers":{"Authorization":"Bearer hlv_secret"}}}})"},
    {"copilot-cli", "~/.copilot/mcp-config.json",
     R"({"mcpServers":{"helve":{"type":"http","tools":["*"],"url":"http://127.0.0.1:7717/mcp","headers":{"Authorization":"Bearer hlv_secret"}}}})"},
    {"cursor", "~/.cursor/mcp.json",
     R"({"mcpServers":{"helve":{"url":"http://127.0.0.1:7717/mcp","headers":{"Authorization":"Bearer hlv_secret"}}}})"},
    {"gemini-cli", "~/.gemini/settings.json",
     R"({"mcpServers":{"helve":{"httpUrl":"http://127.0.0.1:7717/mcp","headers":{"Authorization":"Bearer hlv_secret"}}}})"},
    {"mcp-json", "mcp.json",
     R"({"mcpServers":{"helve":{"type":"http","url":"http://127.0.0.1:7717/mcp","headers":{"Authorization":"Bearer hlv_secret"}}}})"},
};

template <typename Server>
void expect_json(const Case& c, const Server& server, bool secret) {
  SCOPED_TRACE(c.host);
  const Result<Snippet> snippet = snippet_for(c.host, server);
  ASSERT_TRUE(snippet) << render_text(snippet.error());
  const auto json = parse_json(snippet->text);
  ASSERT_TRUE(json);
  EXPECT_EQ(write_json(*json), c.want);
  EXPECT_EQ(snippet->file, c.file);
  EXPECT_EQ(snippet->secret, secret);
}

TEST(Hosts, StartAServerOverStdio) {
  for (const Case& c : kStdioCases) expect_json(c, kStdio, false);
}

TEST(Hosts, ReachAServerOverHttp) {
  for (const Case& c : kHttpCases) expect_json(c, kHttp, true);
}

TEST(Hosts, CodexReadsToml) {
  EXPECT_EQ(snippet_for("codex", kStdio)->text,
            "[mcp_servers.helve]\ncommand = \"/usr/bin/helve\"\n"
            "args = [\"mcp\", \"--root\", \"/srv/my app\"]\n");
  EXPECT_EQ(snippet_for("codex", kHttp)->text,
            "[mcp_servers.helve]\nurl = \"http://127.0.0.1:7717/mcp\"\n"
            "http_headers = { Authorization = \"Bearer hlv_secret\" }\n");
  EXPECT_EQ(snippet_for("codex", StdioServer{"helve", "/h", "/a\"\\\n\x7F", ""})->text,
            "[mcp_servers.helve]\ncommand = \"/h\"\n"
            "args = [\"mcp\", \"--root\", \"/a\\\"\\\\\\n\\u007f\"]\n");
}

TEST(Hosts, ANamedConfigurationGoesAlong) {
  const StdioServer server{"helve", "/usr/bin/helve", "/srv/app", "/etc/helve.json"};
  for (const std::string_view host : known_hosts()) {
    SCOPED_TRACE(host);
    const std::string text = snippet_for(host, server)->text;
    EXPECT_LT(text.find("--config"), text.find("/etc/helve.json"));
    EXPECT_NE(text.find("/etc/helve.json"), std::string::npos);
  }
}

TEST(Hosts, ThatCannotOrAreNotKnownAreRefused) {
  const Result<Snippet> desktop = snippet_for("claude-desktop", kHttp);
  ASSERT_FALSE(desktop);
  EXPECT_EQ(desktop.error().rule, "host.no_http");
  EXPECT_EQ(render(desktop.error()).next,
            "let it start one: helve mcp --print-config claude-desktop");
  const Result<Snippet> unknown = snippet_for("vs-code", kStdio);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(render(unknown.error()).message,
            "the host \"vs-code\" is not known; did you mean \"vscode\"?");
  EXPECT_THAT(render(unknown.error()).next, ::testing::HasSubstr("claude-code, claude-desktop"));
}

TEST(Hosts, TheSnippetAloneGoesToOut) {
  std::ostringstream out, err;
  Console console{.out = out, .err = err};
  EXPECT_EQ(print_config(snippet_for("cursor", kHttp), console), kDone);
  EXPECT_TRUE(parse_json(out.str()));
  EXPECT_EQ(err.str(),
            "This belongs in ~/.cursor/mcp.json.\n"
            "It holds the token: keep the file to yourself and out of version control.\n");
  out.str("");
  EXPECT_EQ(print_config(snippet_for("claude-desktop", kHttp), console), kRefused);
  EXPECT_EQ(out.str(), "");
}

TEST(Hosts, AServerIsCalledAsItsProject) {
  const std::pair<const char*, const char*> cases[] = {
      {"/srv/shop", "shop"},
      {"/srv/My Shop (old)", "my-shop-old"},
      {"/srv/a-name-that-is-long", "a-name-that"},
      {"/srv/\xD0\xBC\xD0\xB0\xD0\xB3", "helve"},
      {"/srv/.dots..", "dots"},
      {"/", "helve"},
  };
  for (const auto& [root, name] : cases) EXPECT_EQ(server_name(root), name) << root;
}

}  // namespace
}  // namespace helve::host
