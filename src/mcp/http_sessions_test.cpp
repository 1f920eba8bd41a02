// Sessions of the handshake revisions over HTTP, and what the modern one has instead.
#include <gtest/gtest.h>

#include "mcp/testing/web.h"

namespace helve::mcp {
namespace {

using namespace testing;
using namespace std::chrono_literals;

std::optional<std::string> holder_of(std::string_view token) { return std::string(token); }

const std::string kPing = legacy("1", "ping");

TEST(HttpSessions, BeginWithInitializeAndEndWithDelete) {
  Web web;
  const auto begun = web.begin();
  EXPECT_EQ(describe(*begun), "200 0 ok");
  EXPECT_EQ(web.session.size(), 32U);
  EXPECT_EQ(web.session.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(describe(*web.in_session(legacy("1", "ping"))), "200 1 ok");
  EXPECT_EQ(describe(*web.in_session(legacy("2", "nix"))), "200 2 -32601 mcp.method_unknown");
  EXPECT_EQ(web.face->sessions(), 1U);

  EXPECT_EQ(describe(*web.send("DELETE", "Mcp-Session-Id: $S")), "204");
  EXPECT_EQ(web.face->sessions(), 0U);
  EXPECT_EQ(web.sessions.count(), 0U);
  EXPECT_EQ(describe(*web.in_session(kPing)), "404 1 -32600 mcp.session_unknown");
  EXPECT_EQ(describe(*web.send("DELETE", "Mcp-Session-Id: $S")),
            "404 null -32600 mcp.session_unknown");
}

TEST(HttpSessions, AreWantedByEachRequestOfAHandshakeRevision) {
  Web web;
  web.begin("2025-06-18");
  const struct {
    const char *name, *method, *headers, *want;
  } cases[] = {
      {"no session", "POST", "", "400 1 -32600 mcp.session_missing"},
      {"R3 one of before a restart", "POST", "Mcp-Session-Id: 0123456789abcdef0123456789abcdef",
       "404 1 -32600 mcp.session_unknown"},
      {"two at once", "POST", "Mcp-Session-Id: $S\n+Mcp-Session-Id: $S",
       "404 1 -32600 mcp.session_unknown"},
      {"an empty one", "POST", "Mcp-Session-Id: ", "404 1 -32600 mcp.session_unknown"},
      {"its revision", "POST", "Mcp-Session-Id: $S\nMCP-Protocol-Version: 2025-06-18", "200 1 ok"},
      {"another revision of the handshake", "POST",
       "Mcp-Session-Id: $S\nMCP-Protocol-Version: 2025-03-26", "200 1 ok"},
      {"an unknown revision", "POST", "Mcp-Session-Id: $S\nMCP-Protocol-Version: 1.0.0",
       "400 1 -32600 mcp.header_version"},
      {"GET without one", "GET", "", "400 null -32600 mcp.session_missing"},
      {"DELETE without one", "DELETE", "", "400 null -32600 mcp.session_missing"},
      {"DELETE of nobody's", "DELETE", "Mcp-Session-Id: x", "404 null -32600 mcp.session_unknown"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(*web.send(c.method, c.headers, kPing)), c.want);
  }
}

TEST(HttpSessions, HaveOneHandshake) {
  Web web;
  web.begin();
  const std::string again =
      legacy("1", "initialize", R"("protocolVersion":"2025-11-25","capabilities":{})");
  EXPECT_EQ(describe(*web.in_session(again)), "400 1 -32600 mcp.initialized_already");
  // R3: a client that lost its session begins again at once, whatever it still sends.
  const auto lost = web.post("Mcp-Session-Id: 0123456789abcdef0123456789abcdef", again);
  EXPECT_EQ(describe(*lost), "200 1 ok");
  EXPECT_EQ(lost->header("Mcp-Session-Id").size(), 32U);
}

TEST(HttpSessions, AreNotMadeByAHandshakeThatFails) {
  Web web;
  const auto failed = web.post("", legacy("1", "initialize"));
  EXPECT_NE(describe(*failed), "200 1 ok");
  EXPECT_EQ(failed->header("Mcp-Session-Id"), "");
  EXPECT_EQ(web.face->sessions(), 0U);
  EXPECT_EQ(web.sessions.count(), 0U);
}

TEST(HttpSessions, BelongToTheirPrincipal) {
  Web web({}, {.principal_of = holder_of});
  web.begin("2025-11-25", "{}", "Authorization: Bearer ann");
  const auto as = [&](const char* who, const char* method = "POST") {
    return describe(
        *web.send(method, "Mcp-Session-Id: $S\nAuthorization: Bearer " + std::string(who), kPing));
  };
  EXPECT_EQ(as("ann"), "200 1 ok");
  EXPECT_EQ(as("bob"), "404 1 -32600 mcp.session_unknown");
  EXPECT_EQ(as("bob", "DELETE"), "404 null -32600 mcp.session_unknown");
  EXPECT_EQ(as("ann"), "200 1 ok");
}

TEST(HttpSessions, AreGoneWhenTheHostEndsThem) {
  Web web;
  web.begin();
  const auto stream = web.send("GET", "Mcp-Session-Id: $S");
  web.sessions.expire(Clock::now() + 2h);
  EXPECT_EQ(describe(*web.in_session(kPing)), "404 1 -32600 mcp.session_unknown");
  EXPECT_TRUE(stream->finished);
}

TEST(HttpSessions, AreBounded) {
  Web web({patient()});
  tool::Sessions narrow({.most = 1});
  web.face = std::make_unique<HttpFace>(web.loop, web.server, narrow, HttpOptions());
  web.begin();
  web.in_session(legacy("1", "tools/call", R"("name":"wait","arguments":{})"));
  // What works is not ended for another one.
  EXPECT_EQ(describe(*web.begin()), "503 0 -32603 session.too_many");
  web.face->end();
  web.turn();
}

TEST(HttpSessions, BatchesAreOfOneRevision) {
  Web web;
  const std::string batch = "[" + legacy("1", "ping") + "," + legacy("2", "ping") + "]";
  web.begin("2025-03-26");
  EXPECT_EQ(describe(*web.in_session(batch)), "200 array");
  EXPECT_EQ(describe(*web.in_session(R"([{"jsonrpc":"2.0","method":"notifications/x"}])")), "202");
  web.begin("2025-06-18");
  EXPECT_EQ(describe(*web.in_session(batch)), "400 null -32600 mcp.batch_unsupported");
}

TEST(HttpSessions, OfTheModernRevisionAreThoseOfTheirPrincipals) {
  std::vector<std::string> seen;
  tool::Tool tool = answering("who", {});
  tool.run = [&](tool::Call& call) -> boost::asio::awaitable<Result<tool::Answer>> {
    seen.push_back(call.session.id() + " " + call.session.principal());
    EXPECT_FALSE(call.session.remembers());
    co_return tool::Answer{.text = "x"};
  };
  Web web({tool}, {.principal_of = holder_of});
  for (const char* who : {"ann", "ann", "bob"}) {
    web.ask("1", "tools/call", R"("name":"who","arguments":{})",
            "Authorization: Bearer " + std::string(who));
  }
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_TRUE(seen[0].ends_with(" ann") && seen[2].ends_with(" bob"));
  EXPECT_EQ(web.sessions.count(), 2U);
  // After an hour it is another one, and the client sees nothing of that.
  web.sessions.expire(Clock::now() + 2h);
  web.ask("1", "tools/call", R"("name":"who","arguments":{})", "Authorization: Bearer ann");
  EXPECT_NE(seen[3], seen[0]);
}

}  // namespace
}  // namespace helve::mcp
