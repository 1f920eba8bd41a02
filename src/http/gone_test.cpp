// Clients that go away, read slowly, or are too many.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <vector>

#include "http/testing/client.h"
#include "http/testing/rig.h"

namespace helve::http {
namespace {

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

using ExchangePtr = std::shared_ptr<Exchange>;

// A rig whose handler keeps the exchange, and tells of the client's going.
struct Keeper {
  explicit Keeper(Limits limits = {}, bool streams = false)
      : rig(limits, [this, streams](const ExchangePtr& exchange) {
          exchange->on_gone([this] { ++gone; });
          if (streams) exchange->stream({.body = "first"});
          kept.push_back(exchange);
          ++requests;
        }) {}
  ~Keeper() {
    rig.on_loop([this] { kept.clear(); });
  }

  bool comes_to(const std::atomic<int>& count, int want) {
    for (int i = 0; i < 2000 && count != want; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return count == want;
  }

  std::vector<ExchangePtr> kept;
  std::atomic<int> gone = 0, requests = 0;
  Rig rig;
};

TEST(Gone, IsToldHoweverTheClientGoes) {
  const struct {
    const char* name;
    void (*go)(Client& client);
  } cases[] = {
      {"it closes", [](Client& client) { client.close(); }},
      {"it resets", [](Client& client) { client.reset(); }},
      {"it closes its sending half", [](Client& client) { client.end_sending(); }},
      {"it sends another request and closes",
       [](Client& client) {
         client.send(kGet);
         client.close();
       }},
  };
  for (const bool streams : {false, true}) {
    for (const auto& c : cases) {
      SCOPED_TRACE(std::string(c.name) + (streams ? ", streaming" : ""));
      Keeper keeper({}, streams);
      Client client(keeper.rig.address());
      client.send(kGet);
      ASSERT_TRUE(keeper.comes_to(keeper.requests, 1));
      EXPECT_EQ(keeper.gone, 0);
      c.go(client);
      EXPECT_TRUE(keeper.comes_to(keeper.gone, 1));
      bool at_once = false;
      keeper.rig.on_loop([&] { keeper.kept[0]->on_gone([&] { at_once = true; }); });
      EXPECT_TRUE(at_once);
    }
  }
}

TEST(Gone, IsNotToldBehindTheAnswer) {
  Keeper keeper;
  Client client(keeper.rig.address());
  client.send(kGet);
  ASSERT_TRUE(keeper.comes_to(keeper.requests, 1));
  keeper.rig.on_loop([&] { keeper.kept[0]->respond({}); });
  EXPECT_EQ(client.read_reply().status, 200);
  client.close();
  EXPECT_TRUE(keeper.rig.comes_to(0));
  EXPECT_EQ(keeper.gone, 0);
}

TEST(Gone, HalfOfAClientStillGetsItsAnswer) {
  Keeper keeper;
  Client client(keeper.rig.address());
  client.send(kGet);
  client.end_sending();
  ASSERT_TRUE(keeper.comes_to(keeper.gone, 1));
  keeper.rig.on_loop([&] { keeper.kept[0]->respond({.body = "late"}); });
  EXPECT_EQ(client.read_reply().body, "late");
  EXPECT_TRUE(client.has_ended());
}

TEST(Gone, IsWhoLeavesInTheMiddleOfARequest) {
  Keeper keeper;
  for (const char* bytes : {"", "GE", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab"}) {
    Client client(keeper.rig.address());
    client.send(bytes);
    ASSERT_TRUE(keeper.rig.comes_to(1));
    client.end_sending();
    EXPECT_TRUE(client.has_ended());
    EXPECT_TRUE(keeper.rig.comes_to(0));
  }
  EXPECT_EQ(keeper.requests, 0);
}

TEST(Gone, IsWhoTakesNothing) {
  const struct {
    const char* name;
    Limits limits;
  } cases[] = {
      {"for too long", {.unsent_bytes = 64 << 20, .write_time = std::chrono::milliseconds(40)}},
      {"while too much waits", {.unsent_bytes = 1'000'000}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Keeper keeper(c.limits, true);
    Client client(keeper.rig.address());
    client.send(kGet);
    ASSERT_TRUE(keeper.comes_to(keeper.requests, 1));
    keeper.rig.on_loop([&] {
      for (int i = 0; i < 32; ++i) keeper.kept[0]->write(std::string(1 << 20, 'a'));
      if (c.limits.unsent_bytes > (2 << 20)) EXPECT_GT(keeper.kept[0]->waiting_bytes(), 0U);
    });
    EXPECT_TRUE(keeper.comes_to(keeper.gone, 1));
    EXPECT_TRUE(keeper.rig.comes_to(0));
  }
}

TEST(Gone, IsTheOldestIdleClientOfTooMany) {
  Keeper keeper({.connections = 2});
  Client oldest(keeper.rig.address()), newer(keeper.rig.address());
  ASSERT_TRUE(keeper.rig.comes_to(2));
  Client third(keeper.rig.address());
  EXPECT_TRUE(oldest.has_ended());
  newer.send(kGet);
  third.send(kGet);
  ASSERT_TRUE(keeper.comes_to(keeper.requests, 2));
  EXPECT_TRUE(Client(keeper.rig.address()).has_ended()) << "nobody idles";
  keeper.rig.on_loop([&] { keeper.kept[1]->respond({}); });
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

::rlim_t lowest_free_descriptor() {
  const os::UniqueFd lowest(::dup(0));
  return static_cast<::rlim_t>(lowest.get());
}

TEST(Gone, AreNewClientsWhileNoDescriptorIsLeft) {
  Rig rig;
  Client early(rig.address());
  ASSERT_TRUE(rig.comes_to(1));
  Client late{}, later{};
  ::rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  ::rlimit none = before;
  none.rlim_cur = lowest_free_descriptor();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  late.connect(rig.address());
  EXPECT_TRUE(late.has_ended());
  EXPECT_EQ(early.ask(kGet).status, 200);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  later.connect(rig.address());
  EXPECT_EQ(later.ask(kGet).status, 200);
}

TEST(Gone, LeavesNoDescriptorBehind) {
  Keeper keeper;
  const std::ptrdiff_t before = open_descriptors();
  for (int i = 0; i < 200; ++i) {
    Client client(keeper.rig.address());
    client.send(i % 2 == 0 ? kGet : "GET / BROKEN\r\n\r\n");
    if (i % 3 == 0) client.reset();
  }
  keeper.rig.on_loop([] {});
  for (int i = 0; i < 2000 && keeper.rig.connections() > keeper.kept.size(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  keeper.rig.on_loop([&] { keeper.kept.clear(); });
  EXPECT_TRUE(keeper.rig.comes_to(0));
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace helve::http
