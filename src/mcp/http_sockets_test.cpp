// The face behind a real server: what only sockets show.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <future>
#include <thread>

#include "mcp/testing/web.h"
#include "os/fd.h"

#include <netinet/in.h>

namespace helve::mcp {
namespace {

using namespace testing;
using namespace std::chrono_literals;

constexpr int kPatience = 10'000;  // ms

class Wire {
 public:
  explicit Wire(const std::string& address)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int port = std::stoi(address.substr(address.rfind(':') + 1));
    ::sockaddr_in to{.sin_family = AF_INET,
                     .sin_port = htons(static_cast<std::uint16_t>(port)),
                     .sin_addr = {htonl(INADDR_LOOPBACK)}};
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<::sockaddr*>(&to), sizeof to), 0);
  }
  void post(std::string_view headers, const std::string& body) {
    const std::string text =
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
        "application/json\r\n" +
        std::string(headers) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    EXPECT_EQ(::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  // What has come, once `mark` is in it; at the end, or after ten seconds, whatever there is.
  std::string read_until(std::string_view mark) {
    ::pollfd waiting{.fd = fd_.get(), .events = POLLIN};
    while (!held_.contains(mark) && ::poll(&waiting, 1, kPatience) == 1) {
      std::array<char, 4096> buffer;
      const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      held_.append(buffer.data(), static_cast<size_t>(got));
    }
    return held_;
  }
  bool has_ended() {
    ::pollfd waiting{.fd = fd_.get(), .events = POLLIN};
    char byte;
    return ::poll(&waiting, 1, kPatience) == 1 && ::recv(fd_.get(), &byte, 1, 0) <= 0;
  }
  void close() { fd_.reset(); }

 private:
  os::UniqueFd fd_;
  std::string held_;
};

const std::string kVersion = "MCP-Protocol-Version: 2026-07-28\r\n";

// A face on a loop of its own thread.
class Host {
 public:
  explicit Host(std::vector<tool::Tool> tools) : web_(std::move(tools)) {
    http_.emplace(web_.loop, *web_.face);
    address_ = http_->listen("127.0.0.1:0").value();
    thread_ = std::thread([this] { web_.loop.run(); });
  }
  ~Host() {
    if (thread_.joinable()) end();
  }
  const std::string& address() const { return address_; }

  void end() {
    web_.loop.spawn([this]() -> boost::asio::awaitable<void> {
      web_.face->end();
      co_await http_->close(Clock::now() + 5s);
      web_.loop.stop();
    });
    thread_.join();
  }

 private:
  Web web_;
  std::optional<http::Server> http_;
  std::string address_;
  std::thread thread_;
};

TEST(HttpSockets, CarryRequestsOneAfterTheOther) {
  Host host({echo()});
  Wire wire(host.address());
  for (const char* word : {"one", "two"}) {
    wire.post(kVersion + "Mcp-Method: tools/call\r\nMcp-Name: echo\r\n",
              modern("1", "tools/call",
                     R"("name":"echo","arguments":{"message":")" + std::string(word) + R"("})"));
    EXPECT_TRUE(wire.read_until(word).starts_with("HTTP/1.1 200 OK\r\n"));
  }
}

TEST(HttpSockets, RefuseBeforeTheBodyIsSent) {
  Host host({});
  Wire wire(host.address());
  wire.post("Origin: https://evil.example\r\nX: y\r\n", "");
  EXPECT_TRUE(wire.read_until("http.origin_refused").starts_with("HTTP/1.1 403 "));
}

TEST(HttpSockets, R10CancelAModernCallWhoseClientCloses) {
  std::promise<void> begun, cancelled;
  tool::Tool tool = patient();
  tool.run = [&](tool::Call& call) -> boost::asio::awaitable<Result<tool::Answer>> {
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor,
                                    Clock::time_point::max());
    call.cancellation->on_request([&](Duration) { timer.cancel(); });
    begun.set_value();
    boost::system::error_code error;
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, error));
    cancelled.set_value();
    co_return tool::Answer{.text = "ended"};
  };
  Host host({tool});
  Wire wire(host.address());
  wire.post(kVersion + "Mcp-Method: tools/call\r\nMcp-Name: wait\r\n",
            modern("1", "tools/call", R"("name":"wait","arguments":{})"));
  begun.get_future().wait();
  wire.close();
  EXPECT_EQ(cancelled.get_future().wait_for(10s), std::future_status::ready);
}

TEST(HttpSockets, EndSubscriptionsWithTheirResult) {
  Host host({});
  Wire wire(host.address());
  wire.post(kVersion + "Mcp-Method: subscriptions/listen\r\n",
            modern("7", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})"));
  EXPECT_TRUE(wire.read_until("acknowledged").contains("text/event-stream"));
  host.end();
  const std::string all = wire.read_until("0\r\n\r\n");
  EXPECT_TRUE(all.contains(R"("id":7,"result")")) << all;
  EXPECT_TRUE(all.ends_with("0\r\n\r\n")) << all;
  EXPECT_TRUE(wire.has_ended());
}

}  // namespace
}  // namespace helve::mcp
