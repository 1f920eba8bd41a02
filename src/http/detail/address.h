// http/detail/address.h
//
// Addresses of sockets as text: "127.0.0.1:7717", "[::1]:7717". No names are resolved but
// "localhost", which is 127.0.0.1. Pure; any thread.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string>
#include <string_view>

namespace helve::http {

struct Address {
  ::sockaddr_storage storage{};
  ::socklen_t size = sizeof(::sockaddr_storage);

  ::sockaddr* get() { return reinterpret_cast<::sockaddr*>(&storage); }
  const ::sockaddr* get() const { return reinterpret_cast<const ::sockaddr*>(&storage); }
};

std::optional<Address> parse_address(std::string_view text);
std::string address_text(const Address& address);

}  // namespace helve::http
