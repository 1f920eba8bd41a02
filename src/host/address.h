// host/address.h
//
// Where a server listens, as text: "127.0.0.1:7717", "[::1]:0", "localhost:7717". No other names:
// what a name means is for others to change. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/refusal.h"

namespace helve::host {

struct Address {
  std::string host;        // an address without brackets, or "localhost"
  std::uint16_t port = 0;  // 0: a free one
  bool loopback = false;   // reachable from this computer alone
};

// Refused: serve.listen_invalid {address}.
Result<Address> parse_address(std::string_view text);

// "tools.example.org", with or without ":8443".
bool is_host_name(std::string_view text);

// "https://app.example.org", with or without a port; "null".
bool is_origin(std::string_view text);

}  // namespace helve::host
