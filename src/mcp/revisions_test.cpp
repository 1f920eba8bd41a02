// One set of handlers, five revisions: what each of them sees on the wire.
#include <gtest/gtest.h>

#include "mcp/testing/client.h"

namespace helve::mcp::testing {
namespace {

struct HandshakeCase {
  const char *name, *asked, *answered;
};
constexpr HandshakeCase kHandshakes[] = {
    {"the newest", "2025-11-25", "2025-11-25"},
    {"an older one", "2025-06-18", "2025-06-18"},
    {"the one with batches", "2025-03-26", "2025-03-26"},
    {"the oldest", "2024-11-05", "2024-11-05"},
    {"an unknown one", "2023-01-01", "2025-11-25"},
    {"the modern one, which has no handshake", "2026-07-28", "2025-11-25"},
};

TEST(Handshake, EchoesAServedRevisionElseTheNewest) {
  for (const HandshakeCase& c : kHandshakes) {
    SCOPED_TRACE(c.name);
    Client client;
    const Json answer =
        parse_json(client.ask(legacy("1", "initialize",
                                     R"("protocolVersion":")" + std::string(c.asked) + "\"")))
            .value();
    const Json& result = answer.at("result");
    EXPECT_EQ(as_text(result.at("protocolVersion")), c.answered);
    EXPECT_EQ(as_text(result.at("instructions")), "root: /r") << "R15";
    EXPECT_EQ(as_text(result.at("serverInfo").at("name")), "test");
    for (const char* capability : {"tools", "resources", "prompts"}) {
      EXPECT_NE(find(result.at("capabilities"), capability), nullptr) << "R12";
    }
    EXPECT_EQ(write_json(result.at("capabilities")),
              R"({"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},)"
              R"("prompts":{"listChanged":true},"completions":{},"logging":{}})");
    EXPECT_EQ(find(result, "resultType"), nullptr);
    EXPECT_EQ(find(result, "ttlMs"), nullptr);
    EXPECT_EQ(find(result, "_meta"), nullptr);
  }
}

struct AnswerCase {
  const char *name, *revision, *tool, *result;
};

const std::string kInfo =
    R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}})";

std::vector<tool::Tool> tools() {
  tool::Answer linked{.text = "t"};
  linked.links.push_back({"helve://runs/1", "report", "text/html"});
  tool::Answer marked{.is_error = true, .text = "no"};
  marked.meta["io.helve/run"] = JsonObject{{"id", "run_1"}};
  std::vector<tool::Tool> out;
  out.push_back(answering("plain", {.text = "a\n\"b\""}));
  out.push_back(answering("object", {.text = "o", .structured = JsonObject{{"n", 1}}},
                          JsonObject{{"type", "object"}}));
  out.push_back(answering("list", {.text = "l", .structured = JsonArray{1, 2}},
                          parse_json(R"({"type":"array","items":{"$ref":"#/$defs/n"},
                                         "$defs":{"n":{"type":"integer"}}})")
                              .value()));
  out.push_back(answering("linked", linked));
  out.push_back(answering("marked", marked));
  return out;
}

const AnswerCase kAnswers[] = {
    {"text", "2026-07-28", "plain",
     R"({"resultType":"complete","content":[{"type":"text","text":"a\n\"b\""}],INFO})"},
    {"text", "2024-11-05", "plain", R"({"content":[{"type":"text","text":"a\n\"b\""}]})"},
    {"structured", "2026-07-28", "object",
     R"({"resultType":"complete","content":[{"type":"text","text":"o"}],)"
     R"("structuredContent":{"n":1},INFO})"},
    {"structured", "2025-06-18", "object",
     R"({"content":[{"type":"text","text":"o"}],"structuredContent":{"n":1}})"},
    {"no structured part yet", "2025-03-26", "object",
     R"({"content":[{"type":"text","text":"o"}]})"},
    {"a list is a list", "2026-07-28", "list",
     R"({"resultType":"complete","content":[{"type":"text","text":"l"}],)"
     R"("structuredContent":[1,2],INFO})"},
    {"a list is wrapped", "2025-11-25", "list",
     R"({"content":[{"type":"text","text":"l"}],"structuredContent":{"result":[1,2]}})"},
    {"a link", "2025-06-18", "linked",
     R"({"content":[{"type":"text","text":"t"},{"type":"resource_link","uri":"helve://runs/1",)"
     R"("name":"report","mimeType":"text/html"}]})"},
    {"a link as text", "2025-03-26", "linked",
     R"({"content":[{"type":"text","text":"t"},{"type":"text","text":"report: helve://runs/1"}]})"},
    {"an error with facts", "2025-11-25", "marked",
     R"({"content":[{"type":"text","text":"no"}],"isError":true,)"
     R"("_meta":{"io.helve/run":{"id":"run_1"}}})"},
};

TEST(Revisions, R5EachSeesAnswersAsItKnowsThem) {
  for (const AnswerCase& c : kAnswers) {
    SCOPED_TRACE(std::string(c.name) + ", " + c.revision + ", " + c.tool);
    Client client(tools());
    client.begin(c.revision);
    const std::string params = R"("name":")" + std::string(c.tool) + "\"";
    const bool is_modern = std::string_view(c.revision) >= "2026";
    const std::string answer = client.ask(is_modern ? modern("1", "tools/call", params)
                                                    : legacy("1", "tools/call", params));
    std::string want = R"({"jsonrpc":"2.0","id":1,"result":)" + std::string(c.result) + "}";
    if (const size_t at = want.find("INFO"); at != std::string::npos) want.replace(at, 4, kInfo);
    EXPECT_EQ(answer, want);
  }
}

struct ListCase {
  const char* revision;
  bool output, annotations, title;
};
constexpr ListCase kLists[] = {
    {"2026-07-28", true, true, true},    {"2025-11-25", true, true, true},
    {"2025-06-18", true, true, true},    {"2025-03-26", false, true, false},
    {"2024-11-05", false, false, false},
};

TEST(Revisions, EachSeesToolsAsItKnowsThem) {
  for (const ListCase& c : kLists) {
    SCOPED_TRACE(c.revision);
    std::vector<tool::Tool> all = tools();
    all.push_back(echo());
    Client client(std::move(all));
    client.begin(c.revision);
    const bool is_modern = std::string_view(c.revision) >= "2026";
    const Json answer =
        parse_json(client.ask(is_modern ? modern("1", "tools/list") : legacy("1", "tools/list")))
            .value();
    const Json& result = answer.at("result");
    EXPECT_EQ(find(result, "ttlMs") != nullptr, is_modern);
    EXPECT_EQ(find(result, "cacheScope") != nullptr, is_modern);
    EXPECT_EQ(find(result, "resultType") != nullptr, is_modern);
    const Json& list = result.at("tools").at(2);
    ASSERT_EQ(find(list, "outputSchema") != nullptr, c.output);
    if (c.output) {
      EXPECT_EQ(find_text(list.at("outputSchema"), "type"), is_modern ? "array" : "object");
    }
    const Json& last = result.at("tools").at(5);
    EXPECT_EQ(find(last, "annotations") != nullptr, c.annotations);
    EXPECT_EQ(find(last, "title") != nullptr, c.title);
  }
}

TEST(Revisions, AWrappedOutputSchemaKeepsItsReferences) {
  Client client(tools());
  client.begin("2025-11-25");
  const std::string answer = client.ask(legacy("1", "tools/list"));
  EXPECT_NE(answer.find(R"("$ref":"#/properties/result/$defs/n")"), std::string::npos) << answer;
}

struct BatchCase {
  const char *name, *revision;
  std::string sent, answer;
};
const std::string kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
const std::string kPong = R"({"jsonrpc":"2.0","id":1,"result":{}})";
const std::string kNote = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

TEST(Batches, ArePartOfOneRevisionOnly) {
  const BatchCase cases[] = {
      {"one request", "2025-03-26", "[" + kPing + "]", "[" + kPong + "]"},
      {"requests and a notification", "2025-03-26", "[" + kPing + "," + kNote + "," + kPing + "]",
       "[" + kPong + "," + kPong + "]"},
      {"notifications alone", "2025-03-26", "[" + kNote + "]", ""},
      {"an empty batch", "2025-03-26", "[]", "null -32600 mcp.batch_size"},
      {"a modern request in it", "2025-03-26", "[" + modern("1", "tools/list") + "]",
       "null -32600 mcp.batch_unsupported"},
      {"another revision", "2025-06-18", "[" + kPing + "]", "null -32600 mcp.batch_unsupported"},
      {"before the handshake", "", "[" + kPing + "]", "null -32600 mcp.batch_unsupported"},
  };
  for (const BatchCase& c : cases) {
    SCOPED_TRACE(c.name);
    Client client;
    client.begin(c.revision);
    const std::string answer = client.ask(c.sent);
    EXPECT_EQ(answer.starts_with('{') ? outcome(answer) : answer, c.answer);
  }
}

TEST(Batches, WaitForTheirCalls) {
  Client client({patient(), echo()});
  client.begin("2025-03-26");
  client.send("[" + legacy("1", "tools/call", R"("name":"wait")") + "," + kPing + "]");
  EXPECT_TRUE(client.recorder->answers.empty());
  client.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_EQ(join(client.recorder->answers, "\n"), "[" + kPong + "]");
}

}  // namespace
}  // namespace helve::mcp::testing
