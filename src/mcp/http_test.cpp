// What comes by HTTP, and the status and the words that go back.
#include "mcp/http.h"

#include <gtest/gtest.h>

#include "mcp/testing/web.h"

namespace helve::mcp {
namespace {

using namespace testing;

tool::Tool placed() {
  tool::Tool tool = answering("placed", {.text = "here"});
  tool.input = parse_json(R"({"type":"object","properties":{"region":{"type":"string",
      "description":"x","x-mcp-header":"Region"}}})")
                   .value();
  return tool;
}

tool::Tool wants_sampling() {
  tool::Answer asks;
  asks.needs = tool::Needs{.requests = {{"q", "sampling/createMessage", {}}}};
  return answering("asks", asks);
}

std::optional<std::string> holder_of(std::string_view token) {
  if (token == "secret") return "owner";
  if (token == "other") return "guest";
  return std::nullopt;
}

struct Case {
  const char *name, *method, *headers, *body, *want;
  const char* path = "/mcp";
};

const std::string kList = modern("1", "tools/list");
const std::string kListHeaders = "MCP-Protocol-Version: 2026-07-28\nMcp-Method: tools/list\n";

void expect_all(Web& web, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(*web.send(c.method, c.headers, c.body, c.path)), c.want);
  }
}

TEST(HttpFace, LetsNobodyInWhoMayNotAsk) {
  Web web({}, {.principal_of = holder_of});
  const char* const list = kList.c_str();
  const std::string headers = kListHeaders + "Authorization: Bearer secret\n";
  const auto with = [&](const char* more) { return headers + more; };
  const std::string evil_host = with("Host: evil.example\n");
  const std::string no_host = with("Host\n");
  const std::string two_hosts = with("+Host: localhost\n");
  const std::string page = with("Origin: https://evil.example\n");
  const std::string null_page = with("Origin: null\n");
  const std::string own_page = with("Origin: http://localhost:3000\n");
  const std::string text = with("Content-Type: text/plain\n");
  const std::string untyped = with("Content-Type\n");
  const std::string charset = with("Content-Type: application/json; charset=utf-8\n");
  const std::string v6 = with("Host: [::1]:7717\n");
  expect_all(
      web,
      {
          {"R13 a foreign host", "POST", evil_host.c_str(), list,
           "403 null -32600 http.host_refused"},
          {"R13 a foreign host, before path and method", "PUT", evil_host.c_str(), "",
           "403 null -32600 http.host_refused", "/x"},
          {"R13 no host", "POST", no_host.c_str(), list, "403 null -32600 http.host_count"},
          {"R13 two hosts", "POST", two_hosts.c_str(), list, "403 null -32600 http.host_count"},
          {"R13 a foreign page", "POST", page.c_str(), list, "403 null -32600 http.origin_refused"},
          {"R13 a page without origin", "POST", null_page.c_str(), list,
           "403 null -32600 http.origin_refused"},
          {"R13 a page of this machine", "POST", own_page.c_str(), list, "200 1 ok"},
          {"R13 another spelling", "POST", v6.c_str(), list, "200 1 ok"},
          {"another path", "POST", headers.c_str(), list, "404 null -32600 http.path_unknown",
           "/other"},
          {"the path below", "POST", headers.c_str(), list, "404 null -32600 http.path_unknown",
           "/mcp/"},
          {"PUT", "PUT", headers.c_str(), list, "405 null -32600 http.method_refused"},
          {"HEAD", "HEAD", headers.c_str(), "", "405 null -32600 http.method_refused"},
          {"OPTIONS of no browser", "OPTIONS", headers.c_str(), "",
           "405 null -32600 http.method_refused"},
          {"no token", "POST", kListHeaders.c_str(), list, "401 null -32600 http.token_refused"},
          {"a wrong token", "POST", "Authorization: Bearer x", list,
           "401 null -32600 http.token_refused"},
          {"another scheme", "POST", "Authorization: Basic secret", list,
           "401 null -32600 http.token_refused"},
          {"two tokens", "POST", "Authorization: Bearer secret\n+Authorization: Bearer secret",
           list, "401 null -32600 http.token_refused"},
          {"GET without a token", "GET", "", "", "401 null -32600 http.token_refused"},
          {"DELETE without a token", "DELETE", "", "", "401 null -32600 http.token_refused"},
          {"text", "POST", text.c_str(), list, "415 null -32600 http.content_type"},
          {"no type", "POST", untyped.c_str(), list, "415 null -32600 http.content_type"},
          {"JSON with its charset", "POST", charset.c_str(), list, "200 1 ok"},
          {"all of it right", "POST", headers.c_str(), list, "200 1 ok"},
      });
}

TEST(HttpFace, SaysWhatToDoAboutARefusal) {
  Web web({}, {.principal_of = holder_of});
  const auto refused = web.send("PUT");
  EXPECT_EQ(refused->header("Allow"), "GET, POST, DELETE, OPTIONS");
  EXPECT_EQ(web.send("POST")->header("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(web.send("POST", "Authorization: Bearer no")->body, web.send("POST")->body);
  const auto foreign = web.send("POST", "Host: evil.example");
  EXPECT_TRUE(foreign->body.contains("evil.example") && foreign->body.contains("--allow-host"))
      << foreign->body;
}

TEST(HttpFace, TellsBrowsersWhatAPageMayDo) {
  Web web;
  const auto asked = web.send("OPTIONS",
                              "Origin: http://localhost:3000\nAccess-Control-Request-Method: POST\n"
                              "Access-Control-Request-Headers: mcp-method, content-type");
  EXPECT_EQ(describe(*asked), "204");
  EXPECT_EQ(asked->header("Access-Control-Allow-Origin"), "http://localhost:3000");
  EXPECT_EQ(asked->header("Access-Control-Allow-Headers"), "mcp-method, content-type");
  EXPECT_EQ(asked->header("Access-Control-Allow-Methods"), "GET, POST, DELETE");
  EXPECT_EQ(asked->header("Vary"), "Origin");

  const auto answered = web.ask("1", "tools/list", "", "Origin: http://localhost:3000");
  EXPECT_EQ(answered->header("Access-Control-Allow-Origin"), "http://localhost:3000");
  EXPECT_TRUE(answered->header("Access-Control-Expose-Headers").contains("Mcp-Session-Id"));
  const auto plain = web.ask("1", "tools/list");
  EXPECT_EQ(plain->header("Access-Control-Allow-Origin"), "");
  EXPECT_EQ(plain->header("Vary"), "Origin");

  const auto foreign =
      web.send("OPTIONS", "Origin: https://evil.example\nAccess-Control-Request-Method: POST");
  EXPECT_EQ(foreign->status(), 403U);
  EXPECT_EQ(foreign->header("Access-Control-Allow-Origin"), "");
}

TEST(HttpFace, RoutesByTheBodyAndHoldsTheHeadersAgainstIt) {
  Web web({echo(), placed(), wants_sampling()});
  web.begin();
  const std::string list = kListHeaders;
  const std::string call = "MCP-Protocol-Version: 2026-07-28\nMcp-Method: tools/call\n";
  const std::string named = call + "Mcp-Name: echo\n";
  const std::string echoed =
      modern("1", "tools/call", R"("name":"echo","arguments":{"message":"x"})");
  const std::string at = call + "Mcp-Name: placed\nMcp-Param-Region: ";
  const std::string north =
      modern("1", "tools/call", R"("name":"placed","arguments":{"region":"n"})");
  const std::string elsewhere = at + "s", wrapped = at + "=?base64?bg==?=", same = at + "n";
  const std::string unplaced = call + "Mcp-Name: placed\n";
  const std::string other_name = call + "Mcp-Name: echoes\n";
  const std::string v999 = "MCP-Protocol-Version: v999.0.0\nMcp-Method: tools/list\n";
  const std::string unversioned = "Mcp-Method: tools/list\n";
  const std::string upper = "MCP-Protocol-Version: 2026-07-28\nMcp-Method: TOOLS/LIST\n";
  const std::string unknown = "MCP-Protocol-Version: 2026-07-28\nMcp-Method: ping\n";
  const std::string note = "MCP-Protocol-Version: 2026-07-28\n";
  std::string future = kList;
  future.replace(future.find("2026-07-28"), 10, "v999.0.0");
  const std::string ping = modern("1", "ping"), initialize = modern("1", "initialize");
  const std::string as_ask = call + "Mcp-Name: asks\n";
  const std::string asking = modern("1", "tools/call", R"("name":"asks","arguments":{})");
  const std::string nameless = modern("1", "tools/call");
  const std::string missing = modern("1", "tools/call", R"("name":"nix","arguments":{})");
  const std::string missing_headers = call + "Mcp-Name: nix\n";
  const std::string listen = modern("1", "subscriptions/listen", R"("notifications":{})");
  const std::string listen_headers =
      "MCP-Protocol-Version: 2026-07-28\nMcp-Method: subscriptions/listen\n"
      "Accept: application/json\n";
  const std::string bare = R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}})";
  const std::string partial = R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
                              R"("io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})";
  const std::string handshake =
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
      R"("capabilities":{}}})";
  const char* const notes = R"({"jsonrpc":"2.0","method":"notifications/x"})";
  const char* const response = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  const std::string batch = "[" + kList + "]";
  const char* const old = "MCP-Protocol-Version: 2025-06-18";
  expect_all(
      web,
      {
          {"1.3.1 no JSON", "POST", "", "{", "400 null -32700 json.invalid"},
          {"1.3.1 nothing", "POST", "", "", "400 null -32700 json.invalid"},
          {"1.3.1 a number too large", "POST", "", R"({"id":7,"x":99999999999999999999})",
           "400 7 -32600 json.integer_too_large"},
          {"1.3.2 an empty batch", "POST", "", "[]", "400 null -32600 mcp.batch_unsupported"},
          {"1.3.2 a batch with a modern request", "POST", "", batch.c_str(),
           "400 null -32600 mcp.batch_unsupported"},
          {"1.3.2 a batch with a modern header", "POST", note.c_str(), "[{}]",
           "400 null -32600 mcp.batch_unsupported"},
          {"1.3.3 initialize", "POST", "", handshake.c_str(), "200 1 ok"},
          {"1.3.3 initialize with an older header", "POST", old, handshake.c_str(), "200 1 ok"},
          {"1.3.3 initialize with a modern header", "POST", note.c_str(), handshake.c_str(),
           "400 1 -32020 mcp.initialize_modern"},
          {"1.3.3 initialize with a stray Mcp-Method", "POST", "Mcp-Method: initialize",
           handshake.c_str(), "200 1 ok"},
          {"1.3.4 a modern request", "POST", list.c_str(), kList.c_str(), "200 1 ok"},
          {"1.3.4 no capabilities", "POST", list.c_str(), partial.c_str(),
           "400 1 -32602 mcp.envelope_missing"},
          {"1.3.4 another version in the header", "POST", v999.c_str(), kList.c_str(),
           "400 1 -32020 mcp.header_mismatch"},
          {"1.3.4 another version in the body", "POST", list.c_str(), future.c_str(),
           "400 1 -32020 mcp.header_mismatch"},
          {"1.3.4 a version that is not served", "POST", v999.c_str(), future.c_str(),
           "400 1 -32022 mcp.version_unsupported"},
          {"1.3.4 no version header", "POST", unversioned.c_str(), kList.c_str(),
           "400 1 -32020 mcp.header_missing"},
          {"1.3.4 no Mcp-Method", "POST", note.c_str(), kList.c_str(),
           "400 1 -32020 mcp.header_missing"},
          {"1.3.4 Mcp-Method in capitals", "POST", upper.c_str(), kList.c_str(),
           "400 1 -32020 mcp.header_mismatch"},
          {"1.3.4 no Mcp-Name", "POST", call.c_str(), echoed.c_str(),
           "400 1 -32020 mcp.header_missing"},
          {"1.3.4 another Mcp-Name", "POST", other_name.c_str(), echoed.c_str(),
           "400 1 -32020 mcp.header_mismatch"},
          {"1.3.4 a call", "POST", named.c_str(), echoed.c_str(), "200 1 ok"},
          {"1.3.4 a capability that is missing", "POST", as_ask.c_str(), asking.c_str(),
           "400 1 -32021 mcp.client_cannot"},
          {"1.3.4 a call without a name", "POST", call.c_str(), nameless.c_str(),
           "200 1 -32602 mcp.param_invalid"},
          {"1.3.4 an unknown tool", "POST", missing_headers.c_str(), missing.c_str(),
           "200 1 -32602 tool.unknown"},
          {"1.3.5 a modern header and no claim", "POST", list.c_str(), bare.c_str(),
           "400 1 -32602 mcp.envelope_missing"},
          {"1.3.5 discover without a claim", "POST", "",
           R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})",
           "400 1 -32602 mcp.envelope_missing"},
          {"1.3.6 neither", "POST", "", bare.c_str(), "400 1 -32600 mcp.session_missing"},
          {"1.3.6 in a session", "POST", "Mcp-Session-Id: $S", bare.c_str(), "200 1 ok"},
          {"a removed method", "POST", unknown.c_str(), ping.c_str(),
           "404 1 -32601 mcp.method_unknown"},
          {"initialize with a modern envelope", "POST",
           "MCP-Protocol-Version: 2026-07-28\nMcp-Method: initialize", initialize.c_str(),
           "404 1 -32601 mcp.method_unknown"},
          {"Mcp-Param as in the body", "POST", same.c_str(), north.c_str(), "200 1 ok"},
          {"Mcp-Param in base64", "POST", wrapped.c_str(), north.c_str(), "200 1 ok"},
          {"Mcp-Param that differs", "POST", elsewhere.c_str(), north.c_str(),
           "400 1 -32020 mcp.header_mismatch"},
          {"no Mcp-Param", "POST", unplaced.c_str(), north.c_str(),
           "400 1 -32020 mcp.header_missing"},
          {"a subscription without a stream", "POST", listen_headers.c_str(), listen.c_str(),
           "406 1 -32600 mcp.stream_refused"},
          {"a modern notification", "POST", note.c_str(), notes, "202"},
          {"a notification in a session", "POST", "Mcp-Session-Id: $S", notes, "202"},
          {"a notification without a session", "POST", "", notes,
           "400 null -32600 mcp.session_missing"},
          {"a response to nothing", "POST", "Mcp-Session-Id: $S", response, "202"},
          {"a response with a modern header", "POST", note.c_str(), response,
           "400 null -32600 mcp.response_unasked"},
          {"null", "POST", "", "null", "400 null -32600 mcp.not_an_object"},
          {"a number", "POST", "", "5", "400 null -32600 mcp.not_an_object"},
          {"no JSON-RPC", "POST", "", R"({"id":3,"method":"ping"})",
           "400 3 -32600 mcp.not_jsonrpc"},
          {"an id that is none", "POST", "", R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})",
           "400 null -32600 mcp.bad_id"},
          {"parameters that are a list", "POST", "",
           R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})",
           "400 1 -32602 mcp.params_not_object"},
          {"GET in the modern revision", "GET", note.c_str(), "",
           "405 null -32600 http.method_refused"},
          {"DELETE in the modern revision", "DELETE", note.c_str(), "",
           "405 null -32600 http.method_refused"},
      });
}

TEST(HttpFace, ListsWhatAnEnvelopeLacks) {
  Web web;
  const auto asked = web.post(kListHeaders, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  const Json missing = parse_json(asked->body)->at("error").at("data").at("missing");
  EXPECT_EQ(write_json(missing), R"(["io.modelcontextprotocol/protocolVersion",)"
                                 R"("io.modelcontextprotocol/clientCapabilities"])");
}

TEST(HttpFace, AnswersWithAStreamOnlyWhereNothingElseIsTaken) {
  Web web;
  const struct {
    const char *accept, *want;
  } cases[] = {
      {"Accept: application/json", "200 1 ok"},
      {"Accept: text/event-stream", "200 stream: 1 ok, end"},
      {"Accept: text/html", "200 1 ok"},
      {"Accept: */*", "200 1 ok"},
      {"Accept", "200 1 ok"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.accept);
    EXPECT_EQ(describe(*web.ask("1", "tools/list", "", c.accept)), c.want);
  }
  const auto streamed = web.ask("1", "tools/list", "", "Accept: text/event-stream");
  EXPECT_EQ(streamed->header("Content-Type"), "text/event-stream");
  EXPECT_EQ(streamed->header("Cache-Control"), "no-cache, no-transform");
  EXPECT_EQ(streamed->header("X-Accel-Buffering"), "no");
}

TEST(HttpFace, RendersWhatIsNoRequest) {
  Web web;
  const http::Response reply =
      web.face->refuse_broken(413, refuse("http.body_too_large", {{"limit", "9"}}).error());
  EXPECT_EQ(reply.status, 413U);
  EXPECT_EQ(outcome(reply.body), "null -32600 http.body_too_large");
}

}  // namespace
}  // namespace helve::mcp
