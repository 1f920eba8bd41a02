#include "http/testing/client.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstdlib>

#include "base/text.h"
#include "http/detail/address.h"

namespace helve::http {
namespace {

constexpr int kPatience = 10'000;  // ms

}  // namespace

Client::Client() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}

Client::Client(const std::string& address)
    : fd_(::socket(address.starts_with('[') ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  connect(address);
}

void Client::connect(const std::string& address) {
  const Address to = parse_address(address).value_or(Address{});
  EXPECT_EQ(::connect(fd_.get(), to.get(), to.size), 0) << address;
}

bool Client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool Client::fill() {
  ::pollfd waiting{.fd = fd_.get(), .events = POLLIN};
  if (::poll(&waiting, 1, kPatience) != 1) {
    ADD_FAILURE() << "nothing came from the server";
    return false;
  }
  std::array<char, 64 * 1024> buffer;
  const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
  if (got <= 0) return false;
  held_.append(buffer.data(), static_cast<size_t>(got));
  return true;
}

std::string Client::take(size_t size) {
  std::string out = held_.substr(0, size);
  held_.erase(0, out.size());
  return out;
}

std::string Client::take_until(std::string_view mark) {
  size_t at;
  while ((at = held_.find(mark)) == std::string::npos) {
    if (!fill()) return {};
  }
  std::string out = take(at);
  take(mark.size());
  return out;
}

std::string Client::read_exactly(size_t size) {
  while (held_.size() < size && fill()) {
  }
  return take(size);
}

std::string Client::read_some() {
  if (held_.empty()) fill();
  return take(held_.size());
}

std::string Client::read_to_end() {
  while (fill()) {
  }
  return take(held_.size());
}

bool Client::has_ended() { return held_.empty() && !fill(); }

bool Client::is_quiet_for(std::chrono::milliseconds time) {
  ::pollfd waiting{.fd = fd_.get(), .events = POLLIN};
  return held_.empty() && ::poll(&waiting, 1, static_cast<int>(time.count())) == 0;
}

void Client::end_sending() { ::shutdown(fd_.get(), SHUT_WR); }

void Client::reset() {
  const ::linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  fd_.reset();
}

Reply Client::ask(std::string_view bytes) {
  send(bytes);
  return read_reply();
}

Reply Client::read_reply(bool head_only) {
  Reply reply;
  reply.head = take_until("\r\n\r\n");
  if (reply.head.size() < 12) return reply;
  reply.status = std::atoi(reply.head.substr(9, 3).c_str());
  const std::string lower = lower_ascii(reply.head);
  if (head_only || reply.status == 100 || reply.status == 204) return reply;
  if (lower.contains("\r\ntransfer-encoding: chunked")) {
    for (;;) {
      const std::string size = take_until("\r\n");
      const size_t bytes = std::strtoul(size.c_str(), nullptr, 16);
      reply.body += read_exactly(bytes);
      EXPECT_EQ(read_exactly(2), "\r\n");
      if (bytes == 0) return reply;
    }
  }
  const size_t length = lower.find("\r\ncontent-length: ");
  if (length == std::string::npos) {
    reply.body = read_to_end();
  } else {
    reply.body = read_exactly(std::strtoul(lower.c_str() + length + 18, nullptr, 10));
  }
  return reply;
}

}  // namespace helve::http
