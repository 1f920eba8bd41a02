// How answers go out: whole or streamed, to each kind of client, in time and in order.
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>

#include "base/text.h"
#include "http/testing/client.h"
#include "http/testing/rig.h"

namespace helve::http {
namespace {

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

using ExchangePtr = std::shared_ptr<Exchange>;

// Header lines about the connection and the body, in their order.
std::string shape(const Reply& reply) {
  std::string out;
  for (const std::string_view line : split(reply.head, '\n')) {
    for (const char* name : {"Content-Length", "Transfer-Encoding", "Connection"}) {
      if (line.starts_with(name)) out += std::string(trim(line)) + '|';
    }
  }
  return out + reply.body;
}

void stream_two(const ExchangePtr& exchange) {
  exchange->stream({.body = "one "});
  exchange->write("two");
  exchange->write("");
  exchange->finish();
}

TEST(Answers, FitTheirClient) {
  Rig whole({}, [](const ExchangePtr& exchange) { exchange->respond({.body = "one two"}); });
  Rig streamed({}, stream_two);
  Rig closing({}, [](const ExchangePtr& exchange) {
    exchange->respond({.headers = {{"Connection", "close"}}, .body = "one"});
  });
  Rig empty({}, [](const ExchangePtr& exchange) { exchange->respond({.status = 204}); });
  Rig told({}, [](const ExchangePtr& exchange) {
    exchange->respond({.headers = {{"Content-Length", "9"}, {"Transfer-Encoding", "chunked"}}});
  });
  const struct {
    const char* name;
    Rig& rig;
    const char *bytes, *want;
    bool ends;
  } cases[] = {
      {"whole", whole, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "Content-Length: 7|one two", false},
      {"whole, then close", whole, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
       "Content-Length: 7|Connection: close|one two", true},
      {"whole in HTTP/1.0", whole, "GET / HTTP/1.0\r\n\r\n",
       "Content-Length: 7|Connection: close|one two", true},
      {"whole in HTTP/1.0, kept", whole, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
       "Content-Length: 7|Connection: keep-alive|one two", false},
      {"whole for HEAD", whole, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", "Content-Length: 7|", false},
      {"streamed", streamed, "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
       "Transfer-Encoding: chunked|one two", false},
      {"streamed, then close", streamed, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n\r\n",
       "Transfer-Encoding: chunked|Connection: close|one two", true},
      {"streamed in HTTP/1.0", streamed, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
       "Connection: close|one two", true},
      {"streamed for HEAD", streamed, "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n",
       "Transfer-Encoding: chunked|", false},
      {"closed by the handler", closing, "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
       "Content-Length: 3|Connection: close|one", true},
      {"no content", empty, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "", false},
      {"a handler's own framing is left out", told, "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
       "Content-Length: 0|", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Client client(c.rig.address());
    client.send(c.bytes);
    const Reply reply = client.read_reply(std::string_view(c.bytes).starts_with("HEAD"));
    EXPECT_EQ(shape(reply), c.want);
    EXPECT_TRUE(reply.head.contains("\r\nDate: ")) << reply.head;
    if (c.ends) {
      EXPECT_TRUE(client.has_ended());
    } else {
      EXPECT_NE(client.ask(kGet).status, 0) << "the connection is usable";
    }
  }
}

TEST(Answers, CarryNoLineThatAValueBrings) {
  Rig rig({}, [](const ExchangePtr& exchange) {
    exchange->respond({.headers = {{"A", "b\r\nSet-Cookie: c"}}});
  });
  EXPECT_TRUE(Client(rig.address()).ask(kGet).head.contains("\r\nA: b  Set-Cookie: c\r\n"));
}

TEST(Answers, BeginAtOnceWhenStreamed) {
  ExchangePtr open;
  Rig rig({}, [&](const ExchangePtr& exchange) {
    open = exchange;
    exchange->stream({.headers = {{"Content-Type", "text/event-stream"}}, .body = ": hi\n\n"});
  });
  Client client(rig.address());
  client.send(kGet);
  std::string seen;
  while (!seen.ends_with("6\r\n: hi\n\n\r\n")) seen += client.read_some();
  rig.on_loop([&] { open->write("data: 1\n\n"); });
  EXPECT_EQ(client.read_some(), "9\r\ndata: 1\n\n\r\n");
  rig.on_loop([&] {
    EXPECT_EQ(open->waiting_bytes(), 0U);
    open->finish();
    open.reset();
  });
  EXPECT_EQ(client.read_some(), "0\r\n\r\n");
  client.send(kGet);
  EXPECT_TRUE(client.read_some().starts_with("HTTP/1.1 200 OK\r\n"));
  rig.on_loop([&] { open.reset(); });
}

TEST(Answers, ComeInOrderAlsoWhenTheyComeLate) {
  std::unique_ptr<Rig> rig;
  rig = std::make_unique<Rig>(Limits{}, [&](const ExchangePtr& exchange) {
    boost::asio::post(rig->loop().context(),
                      [exchange] { exchange->respond({.body = exchange->request().path}); });
  });
  Client client(rig->address());
  std::string all;
  for (int i = 0; i < 2000; ++i)
    all += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  std::thread sender([&] {
    client.send(all);
    client.end_sending();
  });
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(client.read_reply().body, "/" + std::to_string(i));
  EXPECT_TRUE(client.has_ended());
  sender.join();
}

TEST(Answers, AreNotMixedWithTheNextOne) {
  ExchangePtr held;
  Rig rig({}, [&](const ExchangePtr& exchange) {
    if (exchange->request().path == "/hold") {
      held = exchange;
    } else {
      exchange->respond({.body = "second"});
    }
  });
  Client client(rig.address());
  client.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(client.is_quiet_for(std::chrono::milliseconds(30)));
  rig.on_loop([&] { held->respond({.body = "first"}); });
  EXPECT_EQ(client.read_reply().body, "first");
  EXPECT_EQ(client.read_reply().body, "second");
  rig.on_loop([&] {
    EXPECT_EQ(held->waiting_bytes(), 0U);
    held.reset();
  });
  EXPECT_EQ(client.ask(kGet).body, "second") << "a late end of an exchange closes nothing";
}

TEST(Answers, OfAnySizeArriveWhole) {
  const std::string large(20'000'000, 'b');
  Rig rig({}, [&](const ExchangePtr& exchange) { exchange->respond({.body = large}); });
  Client client(rig.address());
  client.send(std::string(kGet) + std::string(kGet));
  EXPECT_TRUE(client.read_reply().body == large);
  EXPECT_TRUE(client.read_reply().body == large);
}

TEST(Answers, ThatNeverComeCloseTheConnection) {
  Rig rig({}, [](const ExchangePtr& exchange) {
    if (exchange->request().path == "/half") exchange->stream({.body = "half"});
  });
  Client client(rig.address());
  client.send(kGet);
  EXPECT_TRUE(client.has_ended());
  Client half(rig.address());
  half.send("GET /half HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_FALSE(half.read_to_end().ends_with("0\r\n\r\n")) << "it must not look whole";
  EXPECT_TRUE(rig.comes_to(0));
}

}  // namespace
}  // namespace helve::http
