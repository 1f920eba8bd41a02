#include "http/detail/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace helve::http {
namespace {

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

template <typename Socket>
Address to_address(const Socket& socket) {
  Address address;
  std::memcpy(&address.storage, &socket, sizeof socket);
  address.size = sizeof socket;
  return address;
}

std::optional<Address> parse_v6(const std::string& host, std::uint16_t port) {
  ::sockaddr_in6 socket{};
  socket.sin6_family = AF_INET6;
  socket.sin6_port = htons(port);
  if (::inet_pton(AF_INET6, host.c_str(), &socket.sin6_addr) != 1) return std::nullopt;
  return to_address(socket);
}

std::optional<Address> parse_v4(const std::string& host, std::uint16_t port) {
  ::sockaddr_in socket{};
  socket.sin_family = AF_INET;
  socket.sin_port = htons(port);
  if (::inet_pton(AF_INET, host.c_str(), &socket.sin_addr) != 1) return std::nullopt;
  return to_address(socket);
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.contains('\0')) return std::nullopt;
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return std::nullopt;
  const std::string_view host = text.substr(0, colon);
  if (host.size() > 2 && host.starts_with('[') && host.ends_with(']')) {
    return parse_v6(std::string(host.substr(1, host.size() - 2)), *port);
  }
  return parse_v4(host == "localhost" ? "127.0.0.1" : std::string(host), *port);
}

std::string address_text(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> host{};
  if (address.storage.ss_family == AF_INET6) {
    ::sockaddr_in6 socket{};
    std::memcpy(&socket, &address.storage, sizeof socket);
    ::inet_ntop(AF_INET6, &socket.sin6_addr, host.data(), host.size());
    return "[" + std::string(host.data()) + "]:" + std::to_string(ntohs(socket.sin6_port));
  }
  ::sockaddr_in socket{};
  std::memcpy(&socket, &address.storage, sizeof socket);
  ::inet_ntop(AF_INET, &socket.sin_addr, host.data(), host.size());
  return std::string(host.data()) + ":" + std::to_string(ntohs(socket.sin_port));
}

}  // namespace helve::http
