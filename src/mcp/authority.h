// mcp/authority.h
//
// "host[:port]" as it stands in Host, Origin and listen addresses, in one spelling. Nothing is
// looked up. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace helve::mcp {

struct Authority {
  std::string host;  // lower case, without a final dot; addresses as inet_ntop writes them
  std::optional<std::uint16_t> port;
  bool address = false;  // the host is an IP address
  bool operator==(const Authority&) const = default;
};

// IPv6 stands in brackets. IPv4 in all spellings that resolvers take ("127.1", "0x7f.1"), and as
// "::ffff:127.0.0.1" too. Nullopt if it is none: user names, blanks, zones, a port beyond 65535.
std::optional<Authority> read_authority(std::string_view text);

// 127.0.0.0/8, ::1, localhost and what is below it: browsers never ask a resolver for those.
bool is_loopback(const Authority& authority);

// Whether listening on "host:port" is for this machine alone. IPv6 may go without brackets; a name
// other than localhost, no host, or what cannot be read: no.
bool is_loopback_address(std::string_view listen);

struct Origin {
  std::string scheme;  // lower case
  Authority authority;
};

// "scheme://host[:port]" and nothing behind it; "null" is none.
std::optional<Origin> read_origin(std::string_view text);

}  // namespace helve::mcp
