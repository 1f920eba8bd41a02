// Where a server listens, and how it ends.
#include "http/server.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/texts.h"
#include "http/testing/client.h"
#include "http/testing/rig.h"

namespace helve::http {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

using ExchangePtr = std::shared_ptr<Exchange>;

TEST(Server, ListensOnAddresses) {
  Rig rig;
  const struct {
    const char *address, *want;  // how the answer begins
  } cases[] = {
      {"127.0.0.1:0", "127.0.0.1:"},
      {"localhost:0", "127.0.0.1:"},
      {"0.0.0.0:0", "0.0.0.0:"},
      {"127.0.0.1", "http.address_invalid"},
      {"127.0.0.1:", "http.address_invalid"},
      {":80", "http.address_invalid"},
      {"127.0.0.1:65536", "http.address_invalid"},
      {"127.0.0.1:-1", "http.address_invalid"},
      {"127.0.0.1:+1", "http.address_invalid"},
      {"127.0.0.1:8o", "http.address_invalid"},
      {"127.1:80", "http.address_invalid"},
      {"::1:80", "http.address_invalid"},
      {"[::1]", "http.address_invalid"},
      {"[]:80", "http.address_invalid"},
      {"[127.0.0.1]:80", "http.address_invalid"},
      {"[::1%lo]:80", "http.address_invalid"},
      {"example.com:80", "http.address_invalid"},
      {"", "http.address_invalid"},
      {"192.0.2.1:0", "http.listen_failed"},
  };
  rig.on_loop([&] {
    for (const auto& c : cases) {
      SCOPED_TRACE(c.address);
      const Result<std::string> got = rig.server().listen(c.address);
      EXPECT_TRUE((got ? *got : got.error().rule).starts_with(c.want));
      if (!got) EXPECT_FALSE(render_text(got.error()).contains('{'));
    }
  });
}

TEST(Server, SaysThatItsPortIsTaken) {
  Rig first, second;
  second.on_loop([&] {
    const auto got = second.server().listen(first.address());
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().rule, "http.listen_failed");
    EXPECT_TRUE(render_text(got.error()).contains("--listen"));
  });
}

TEST(Server, ServesSeveralAddressesAlsoOfVersion6) {
  Rig rig;
  std::string other;
  rig.on_loop([&] {
    const auto got = rig.server().listen("[::1]:0");
    other = got ? *got : rig.server().listen("127.0.0.1:0").value_or("");  // no IPv6 here
  });
  EXPECT_EQ(Client(other).ask(kGet).body, "GET / ");
  EXPECT_EQ(Client(rig.address()).ask(kGet).body, "GET / ");
}

TEST(Server, EndsInAnOrderlyWay) {
  ExchangePtr kept, forgotten;
  std::promise<void> both;
  std::atomic<bool> gone = false;
  Rig rig({}, [&](const ExchangePtr& exchange) {
    const bool keep = exchange->request().path == "/keep";
    (keep ? kept : forgotten) = exchange;
    if (!keep) exchange->on_gone([&] { gone = true; });
    if (kept && forgotten) both.set_value();
  });
  Client idle(rig.address()), busy(rig.address()), slow(rig.address());
  busy.send("GET /keep HTTP/1.1\r\nHost: x\r\n\r\n");
  slow.send("GET /forget HTTP/1.1\r\nHost: x\r\n\r\n");
  both.get_future().wait();
  ASSERT_TRUE(rig.comes_to(3));
  std::future<void> closed = rig.close(1s);
  EXPECT_TRUE(idle.has_ended());
  rig.on_loop([&] { kept->respond({.body = "kept"}); });
  const Reply reply = busy.read_reply();
  EXPECT_EQ(reply.body, "kept");
  EXPECT_TRUE(reply.head.contains("\r\nConnection: close"));
  EXPECT_TRUE(busy.has_ended());
  busy.close();
  EXPECT_TRUE(slow.has_ended());
  closed.wait();
  // The loop may have ended by now; what is kept is let go when the rig has ended too.
}

TEST(Server, EndsAtOnceWithoutClients) {
  Rig rig;
  EXPECT_EQ(Client(rig.address()).ask(kGet).status, 200);
  EXPECT_TRUE(rig.comes_to(0));
  EXPECT_EQ(rig.close(1h).wait_for(10s), std::future_status::ready);
}

TEST(Server, EndsWithItsLastAnswer) {
  ExchangePtr kept;
  std::promise<void> asked;
  Rig rig({}, [&](const ExchangePtr& exchange) {
    kept = exchange;
    asked.set_value();
  });
  Client client(rig.address());
  client.send(kGet);
  asked.get_future().wait();
  std::future<void> closed = rig.close(1h);
  rig.on_loop([&] { std::exchange(kept, nullptr)->respond({}); });
  EXPECT_EQ(client.read_reply().status, 200);
  client.close();
  EXPECT_EQ(closed.wait_for(10s), std::future_status::ready);
}

TEST(Server, IsOutlivedByAnExchange) {
  ExchangePtr kept;
  bool gone = false;
  {
    std::promise<void> asked;
    Rig rig({}, [&](const ExchangePtr& exchange) {
      kept = exchange;
      kept->on_gone([&, exchange] { gone = true; });
      asked.set_value();
    });
    Client client(rig.address());
    client.send(kGet);
    asked.get_future().wait();
  }
  EXPECT_TRUE(gone);
  EXPECT_EQ(kept->waiting_bytes(), 0U);
  kept->stream({.body = "to nobody"});
  kept->write("more");
  kept->finish();
}

TEST(Headers, CompareNamesWithoutCase) {
  Headers headers{{"Accept", " a \t"}, {"accept", "b"}, {"X", ""}};
  EXPECT_EQ(headers.find("ACCEPT"), "a");
  EXPECT_EQ(headers.find("x"), "");
  EXPECT_EQ(headers.find("xx"), std::nullopt);
  EXPECT_EQ(headers.count("accept"), 2U);
  headers.set("ACCEPT", "c");
  EXPECT_EQ(headers.count("accept"), 1U);
  EXPECT_EQ(headers.find("accept"), "c");
}

}  // namespace
}  // namespace helve::http
