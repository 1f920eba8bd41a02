// Who hears of changed lists and resources, in which words (spec/mcp.md, 1.2).
#include <gtest/gtest.h>

#include "mcp/detail/hub.h"
#include "mcp/testing/client.h"

namespace helve::mcp::testing {
namespace {

using namespace std::chrono_literals;
using What = tool::Change::What;

tool::ResourceProvider numbers() {
  return {.prefix = "x:", .read = [](tool::Session&, const std::string& uri) {
            return uri.size() == 3 ? Result<tool::ResourceBody>(tool::ResourceBody{"", uri})
                                   : refuse("resource.not_found", {{"uri", uri}});
          }};
}

void change(Client& client, std::initializer_list<tool::Change> changes) {
  for (const tool::Change& what : changes) client.registry.changed(what);
  client.context.restart();
  client.context.poll();
}

// "tools/list_changed" and, for a resource, its URI; behind it the subscription's id.
std::string describe(const std::vector<std::string>& notes) {
  std::vector<std::string> out;
  for (const std::string& note : notes) {
    const Json value = parse_json(note).value();
    out.push_back(std::string(as_text(value.at("method")).substr(sizeof("notifications"))));
    const Json* params = find(value, "params");
    if (params == nullptr) continue;
    if (const auto uri = find_text(*params, "uri")) out.back() += " " + std::string(*uri);
    if (const Json* meta = find(*params, "_meta")) {
      out.back() += " " + write_json(meta->at("io.modelcontextprotocol/subscriptionId"));
    }
  }
  return join(out, ", ");
}

struct ListenCase {
  const char *name, *kinds, *granted, *told;
};
constexpr ListenCase kListens[] = {
    {"nothing", "{}", "{}", ""},
    {"tools", R"({"toolsListChanged":true})", R"({"toolsListChanged":true})",
     "tools/list_changed 5"},
    {"prompts", R"({"promptsListChanged":true,"toolsListChanged":false})",
     R"({"promptsListChanged":true})", "prompts/list_changed 5"},
    {"resources", R"({"resourcesListChanged":true})", R"({"resourcesListChanged":true})",
     "resources/list_changed 5"},
    {"one resource; what is not there is not granted",
     R"({"resourceSubscriptions":["x:1","x:none","y:1"]})", R"({"resourceSubscriptions":["x:1"]})",
     "resources/updated x:1 5"},
    {"an unknown kind", R"({"weatherChanged":true})", "{}", ""},
};

TEST(Subscriptions, HearOfWhatTheyAskedFor) {
  for (const ListenCase& c : kListens) {
    SCOPED_TRACE(c.name);
    Client client;
    client.registry.add(numbers());
    client.send(modern("5", "subscriptions/listen", R"("notifications":)" + std::string(c.kinds)));
    ASSERT_EQ(client.recorder->notes.size(), 1U);
    const Json first = parse_json(client.recorder->notes[0]).value();
    EXPECT_EQ(as_text(first.at("method")), "notifications/subscriptions/acknowledged");
    EXPECT_EQ(write_json(first.at("params").at("notifications")), c.granted);
    client.recorder->notes.clear();
    change(client, {{What::kTools},
                    {What::kPrompts},
                    {What::kResources},
                    {What::kResource, "x:1"},
                    {What::kResource, "x:2"}});
    EXPECT_EQ(describe(client.recorder->notes), c.told);
    EXPECT_TRUE(client.pushed->notes.empty());
  }
}

TEST(Subscriptions, ABurstOfChangesIsToldOnce) {
  Client client;
  client.send(modern("5", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})"));
  change(client, {{What::kTools}, {What::kTools}, {What::kTools}});
  change(client, {{What::kTools}});
  EXPECT_EQ(describe(client.recorder->notes),
            "subscriptions/acknowledged 5, tools/list_changed 5, tools/list_changed 5");
}

TEST(Subscriptions, AreSeveralAndEndOnTheirOwn) {
  Client client;
  client.send(modern("1", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})"));
  client.send(
      modern("\"b\"", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})"));
  client.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  client.recorder->notes.clear();
  change(client, {{What::kTools}});
  EXPECT_EQ(describe(client.recorder->notes), R"(tools/list_changed "b")");
  EXPECT_EQ(client.server.hub().subscriptions, 1U);
  client.peer->end(0ms);
  EXPECT_EQ(client.server.hub().subscriptions, 0U);
}

TEST(Subscriptions, AreLimitedOverAllClients) {
  Client client;
  client.server.most_subscriptions = 1;
  const std::string params = R"("notifications":{})";
  client.send(modern("1", "subscriptions/listen", params));
  const auto first = client.peer;
  client.peer = client.server.connect(client.context.get_executor(), client.session);
  EXPECT_EQ(outcome(client.ask(modern("1", "subscriptions/listen", params))),
            "1 -32603 mcp.too_many_subscriptions");
}

TEST(Changes, AClientThatShookHandsHearsOfListsUnasked) {
  Client client;
  client.begin("2025-06-18");
  change(client, {{What::kTools}, {What::kTools}, {What::kPrompts}, {What::kResources}});
  EXPECT_EQ(join(client.pushed->notes, "\n"),
            R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"
            "\n"
            R"({"jsonrpc":"2.0","method":"notifications/prompts/list_changed"})"
            "\n"
            R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed"})");
  EXPECT_TRUE(client.recorder->notes.empty());
}

TEST(Changes, AClientThatShookHandsHearsOfResourcesItSubscribedTo) {
  Client client;
  client.registry.add(numbers());
  client.begin("2025-11-25");
  for (const char* uri : {"x:1", "x:2", "x:1"}) {
    const std::string params = R"("uri":")" + std::string(uri) + "\"";
    EXPECT_EQ(client.ask(legacy("1", "resources/subscribe", params)),
              R"({"jsonrpc":"2.0","id":1,"result":{}})");
  }
  client.send(legacy("1", "resources/unsubscribe", R"("uri":"x:2")"));
  change(client, {{What::kResource, "x:1"}, {What::kResource, "x:2"}, {What::kResource, "x:3"}});
  EXPECT_EQ(describe(client.pushed->notes), "resources/updated x:1");
}

TEST(Changes, NobodyHearsBeforeTheHandshakeWithoutAStreamOrAfterTheEnd) {
  Client client;
  change(client, {{What::kTools}});
  client.begin("2025-11-25");
  client.peer->push = nullptr;
  change(client, {{What::kTools}});
  client.peer->push = client.pushed;
  client.peer->end(0ms);
  change(client, {{What::kTools}});
  EXPECT_TRUE(client.pushed->notes.empty());
  change(client, {{What::kTools}});
}

TEST(Changes, ARegistryThatOutlivesItsServerTellsNobody) {
  boost::asio::io_context context;
  tool::Registry registry;
  {
    Server server(registry, {"test", "1"});
    const auto peer = server.connect(context.get_executor(), std::make_shared<tool::Session>());
    server.receive(peer, legacy("1", "initialize", R"("protocolVersion":"2025-11-25")"),
                   std::make_shared<Recorder>());
    registry.changed({What::kTools});
  }
  registry.changed({What::kTools});
  EXPECT_EQ(context.poll(), 1U) << "what was posted while the server lived finds nobody";
}

}  // namespace
}  // namespace helve::mcp::testing
