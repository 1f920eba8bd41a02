// Which message gets which answer: JSON-RPC, the modern envelope, the era of a request (1.3).
#include <gtest/gtest.h>

#include "mcp/testing/client.h"

namespace helve::mcp::testing {
namespace {

struct Case {
  const char *name, *revision;
  std::string sent;
  const char* outcome;
};

std::string with_meta(std::string_view method, std::string_view meta) {
  return R"({"jsonrpc":"2.0","id":7,"method":")" + std::string(method) + R"(","params":{"_meta":)" +
         std::string(meta) + "}}";
}

const std::string kVersion = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";
const std::string kCapabilities = R"("io.modelcontextprotocol/clientCapabilities":{})";

const Case kMessages[] = {
    {"not JSON", "", "{", "null -32700 json.invalid"},
    {"R14 not UTF-8", "", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xFF\"}",
     "null -32700 json.invalid"},
    {"an integer too large is answered to its id", "",
     R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"n":99999999999999999999}})",
     "7 -32600 json.integer_too_large"},
    {"R14 half a surrogate pair in what a tool is given", "",
     R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":{"text":"\ud800"}}})",
     "7 -32602 json.half_pair"},
    {"R14 half a surrogate pair elsewhere", "",
     R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"note":"\udc00"}})", "7 ok"},
    {"R14 half a surrogate pair in a batch", "2025-03-26",
     R"([{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\ud800"}}])",
     "null -32602 json.half_pair"},
    {"R14 an empty line", "", "  \r", ""},
    {"a text", "", R"("ping")", "null -32600 mcp.not_an_object"},
    {"no jsonrpc", "", R"({"id":7,"method":"ping"})", "7 -32600 mcp.not_jsonrpc"},
    {"another jsonrpc", "", R"({"jsonrpc":"1.0","id":7,"method":"ping"})",
     "7 -32600 mcp.not_jsonrpc"},
    {"no method", "", R"({"jsonrpc":"2.0","id":7})", "7 -32600 mcp.no_method"},
    {"a method that is no text", "", R"({"jsonrpc":"2.0","id":7,"method":1})",
     "7 -32600 mcp.no_method"},
    {"an id that is null", "", R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
     "null -32600 mcp.bad_id"},
    {"an id that is an object", "", R"({"jsonrpc":"2.0","id":{},"method":"ping"})",
     "null -32600 mcp.bad_id"},
    {"an id with a fraction", "", R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})",
     "null -32600 mcp.bad_id"},
    {"an id as text is echoed as text", "", R"({"jsonrpc":"2.0","id":"7","method":"ping"})",
     R"("7" ok)"},
    {"params that are a list", "", R"({"jsonrpc":"2.0","id":7,"method":"ping","params":[]})",
     "7 -32602 mcp.params_not_object"},
    {"params that are null", "", R"({"jsonrpc":"2.0","id":7,"method":"ping","params":null})",
     "7 ok"},
    {"a response of the client", "", R"({"jsonrpc":"2.0","id":7,"result":{}})", ""},
    {"an error of the client", "", R"({"jsonrpc":"2.0","id":7,"error":{"code":1}})", ""},
    {"an unknown notification", "", R"({"jsonrpc":"2.0","method":"notifications/x"})", ""},
    {"a notification with wrong params", "", R"({"jsonrpc":"2.0","method":"x","params":3})", ""},
    {"a cancel of nothing", "",
     R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}})", ""},
    {"an unknown method before initialize is answered at once", "", legacy("7", "x/y"),
     "7 -32601 mcp.method_unknown"},
    {"a list before initialize", "", legacy("7", "tools/list"), "7 ok"},
};

TEST(Envelope, EveryMessageHasItsAnswer) {
  for (const Case& c : kMessages) {
    SCOPED_TRACE(c.name);
    Client client;
    EXPECT_EQ(outcome(client.ask(c.sent)), c.outcome);
  }
}

const Case kEras[] = {
    {"a modern request", "", modern("7", "tools/list"), "7 ok"},
    {"modern on a pipe with a handshake", "2025-06-18", modern("7", "server/discover"), "7 ok"},
    {"handshake after discover", "", legacy("7", "initialize", R"("protocolVersion":"2025-11-25")"),
     "7 ok"},
    {"handshake without version", "", legacy("7", "initialize"), "7 -32602 mcp.param_invalid"},
    {"handshake inside a modern envelope", "", modern("7", "initialize"),
     "7 -32601 mcp.method_unknown"},
    {"handshake with a broken envelope", "",
     R"({"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
     R"("_meta":{"io.modelcontextprotocol/protocolVersion":1}}})",
     "7 ok"},
    {"ping is not modern", "", modern("7", "ping"), "7 -32601 mcp.method_unknown"},
    {"setLevel is not modern", "", modern("7", "logging/setLevel", R"("level":"info")"),
     "7 -32601 mcp.method_unknown"},
    {"discover without envelope", "", legacy("7", "server/discover"),
     "7 -32602 mcp.envelope_missing"},
    {"no capabilities", "", with_meta("tools/list", "{" + kVersion + "}"),
     "7 -32602 mcp.envelope_missing"},
    {"capabilities of the wrong kind", "",
     with_meta("tools/list",
               "{" + kVersion + R"(,"io.modelcontextprotocol/clientCapabilities":1})"),
     "7 -32602 mcp.envelope_invalid"},
    {"client info of the wrong kind", "",
     with_meta("tools/list", "{" + kVersion + "," + kCapabilities +
                                 R"(,"io.modelcontextprotocol/clientInfo":"x"})"),
     "7 -32602 mcp.envelope_invalid"},
    {"a version that is no text", "",
     with_meta("tools/list",
               R"({"io.modelcontextprotocol/protocolVersion":1,)" + kCapabilities + "}"),
     "7 -32602 mcp.envelope_invalid"},
    {"a version that is not served", "",
     with_meta("tools/list",
               R"({"io.modelcontextprotocol/protocolVersion":"2027-01-01",)" + kCapabilities + "}"),
     "7 -32022 mcp.version_unsupported"},
    {"_meta that is no object", "", with_meta("tools/list", "3"), "7 -32602 mcp.envelope_invalid"},
    {"_meta without a claim", "2025-11-25", with_meta("tools/list", R"({"progressToken":1})"),
     "7 ok"},
};

TEST(Envelope, TheEraIsDecidedPerRequest) {
  for (const Case& c : kEras) {
    SCOPED_TRACE(c.name);
    Client client;
    client.begin(c.revision);
    EXPECT_EQ(outcome(client.ask(c.sent)), c.outcome);
  }
}

TEST(Envelope, AnUnservedVersionIsToldWhatIsServed) {
  Client client;
  const Json answer = parse_json(client.ask(kEras[13].sent)).value();
  const Json& data = answer.at("error").at("data");
  EXPECT_EQ(write_json(data.at("supported")), R"(["2026-07-28"])");
  EXPECT_EQ(as_text(data.at("requested")), "2027-01-01");
}

const Case kMethods[] = {
    {"R12 resources", "", "resources/list", "7 ok"},
    {"R12 templates", "", "resources/templates/list", "7 ok"},
    {"R12 prompts", "", "prompts/list", "7 ok"},
    {"R12 tools", "", "tools/list", "7 ok"},
    {"a prompt without name", "", "prompts/get", "7 -32602 mcp.param_invalid"},
    {"a resource without uri", "", "resources/read", "7 -32602 mcp.param_invalid"},
    {"a call without name", "", "tools/call", "7 -32602 mcp.param_invalid"},
    {"a completion without ref", "", "completion/complete", "7 -32602 mcp.param_invalid"},
};

TEST(Methods, AreTheSameInBothEras) {
  for (const Case& c : kMethods) {
    SCOPED_TRACE(c.name);
    Client client;
    EXPECT_EQ(outcome(client.ask(modern("7", c.sent))), c.outcome);
    EXPECT_EQ(outcome(client.ask(legacy("7", c.sent))), c.outcome);
  }
}

const Case kParams[] = {
    {"an unknown prompt", "", modern("7", "prompts/get", R"("name":"x")"),
     "7 -32602 prompt.unknown"},
    {"an unknown tool", "", modern("7", "tools/call", R"("name":"x")"), "7 -32602 tool.unknown"},
    {"an unknown resource", "", modern("7", "resources/read", R"("uri":"x:y")"),
     "7 -32602 resource.not_found"},
    {"an unknown resource before the modern revision", "2025-11-25",
     legacy("7", "resources/read", R"("uri":"x:y")"), "7 -32002 resource.not_found"},
    {"a cursor that is not ours", "", modern("7", "tools/list", R"("cursor":"x")"),
     "7 -32602 mcp.cursor_unknown"},
    {"a cursor behind the end", "", modern("7", "tools/list", R"("cursor":"200")"),
     "7 -32602 mcp.cursor_unknown"},
    {"a completion of an unknown prompt", "",
     modern("7", "completion/complete",
            R"("ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":""})"),
     "7 -32602 prompt.unknown"},
    {"a completion of an unknown template", "",
     modern("7", "completion/complete",
            R"("ref":{"type":"ref/resource","uri":"x"},"argument":{"name":"a","value":""})"),
     "7 -32602 resource.not_found"},
    {"a completion of something else", "",
     modern("7", "completion/complete",
            R"("ref":{"type":"ref/tool","name":"x"},"argument":{"name":"a","value":""})"),
     "7 -32602 mcp.param_invalid"},
    {"a subscription to an unknown resource", "2025-11-25",
     legacy("7", "resources/subscribe", R"("uri":"x:y")"), "7 -32002 resource.not_found"},
    {"the end of a subscription that never was", "2025-11-25",
     legacy("7", "resources/unsubscribe", R"("uri":"x:y")"), "7 ok"},
    {"subscriptions to resources are not modern", "",
     modern("7", "resources/subscribe", R"("uri":"x:y")"), "7 -32601 mcp.method_unknown"},
    {"a subscription kind of the wrong kind", "",
     modern("7", "subscriptions/listen", R"("notifications":{"toolsListChanged":1})"),
     "7 -32602 mcp.param_invalid"},
    {"a subscription to a resource that is no text", "",
     modern("7", "subscriptions/listen", R"("notifications":{"resourceSubscriptions":[1]})"),
     "7 -32602 mcp.param_invalid"},
    {"a modern log level", "",
     capable("{}", "7", "tools/list", "", R"(,"io.modelcontextprotocol/logLevel":"error")"),
     "7 ok"},
    {"an unknown modern log level", "",
     capable("{}", "7", "tools/list", "", R"(,"io.modelcontextprotocol/logLevel":"loud")"),
     "7 -32602 mcp.envelope_invalid"},
    {"an idempotency key that is empty", "",
     capable("{}", "7", "tools/call", R"("name":"echo")", R"(,"io.helve/idempotencyKey":"")"),
     "7 -32602 mcp.envelope_invalid"},
    {"an idempotency key that is a number", "2025-11-25",
     legacy("7", "tools/call", R"("name":"echo","_meta":{"io.helve/idempotencyKey":1})"),
     "7 -32602 mcp.envelope_invalid"},
    {"an idempotency key that is too long", "2025-11-25",
     legacy(
         "7", "tools/call",
         R"("name":"echo","_meta":{"io.helve/idempotencyKey":")" + std::string(257, 'k') + R"("})"),
     "7 -32602 mcp.envelope_invalid"},
    {"answers that are no object", "",
     modern("7", "tools/call", R"("name":"echo","inputResponses":null)"),
     "7 -32602 mcp.param_invalid"},
    {"an answer that is no object", "",
     modern("7", "tools/call", R"("name":"echo","inputResponses":{"k":12345})"),
     "7 -32602 mcp.param_invalid"},
    {"a state that is no text", "", modern("7", "tools/call", R"("name":"echo","requestState":1)"),
     "7 -32602 mcp.param_invalid"},
    {"a state that nobody gave out", "",
     modern("7", "tools/call", R"("name":"echo","requestState":"x")"), "7 -32602 state.forged"},
    {"a log level", "2025-11-25", legacy("7", "logging/setLevel", R"("level":"info")"), "7 ok"},
    {"an unknown log level", "2025-11-25", legacy("7", "logging/setLevel", R"("level":"loud")"),
     "7 -32602 mcp.param_invalid"},
    {"a progress token of the wrong kind", "2025-11-25",
     legacy("7", "tools/call",
            R"("name":"echo","arguments":{"message":"x"},"_meta":{"progressToken":{}})"),
     "7 -32602 mcp.envelope_invalid"},
    {"a subscription without kinds", "", modern("7", "subscriptions/listen"),
     "7 -32602 mcp.param_invalid"},
    {"R9 arguments of the wrong kind are the tool's error, not the protocol's", "",
     modern("7", "tools/call", R"("name":"echo","arguments":[1])"), "7 ok"},
};

TEST(Methods, HoldTheirParametersAgainstTheProtocol) {
  for (const Case& c : kParams) {
    SCOPED_TRACE(c.name);
    Client client({echo()});
    client.begin(c.revision);
    EXPECT_EQ(outcome(client.ask(c.sent)), c.outcome);
  }
}

}  // namespace
}  // namespace helve::mcp::testing
