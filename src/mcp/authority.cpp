#include "mcp/authority.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"

namespace helve::mcp {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

std::string written(int family, const void* address) {
  std::array<char, INET6_ADDRSTRLEN> out{};
  inet_ntop(family, address, out.data(), out.size());
  return out.data();
}

// inet_aton takes blanks and anything behind them; those must have been ruled out.
std::optional<std::string> read_ipv4(const std::string& text) {
  in_addr address{};
  if (inet_aton(text.c_str(), &address) == 0) return std::nullopt;
  return written(AF_INET, &address);
}

std::optional<std::string> read_ipv6(std::string_view text) {
  in6_addr address{};
  if (text.contains('\0') || inet_pton(AF_INET6, std::string(text).c_str(), &address) != 1) {
    return std::nullopt;
  }
  constexpr size_t kMappedAt = 12;
  if (IN6_IS_ADDR_V4MAPPED(&address)) return written(AF_INET, &address.s6_addr[kMappedAt]);
  return written(AF_INET6, &address);
}

bool is_label(std::string_view label) {
  constexpr size_t kMost = 63;
  return !label.empty() && label.size() <= kMost && std::ranges::all_of(label, [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_';
  });
}

bool is_name(std::string_view host) {
  constexpr size_t kMost = 253;
  return host.size() <= kMost && std::ranges::all_of(split(host, '.'), is_label);
}

// As browsers see it: a last label that is a number makes the whole an address.
bool looks_like_ipv4(std::string_view host) {
  const std::string_view last = host.substr(host.rfind('.') + 1);
  return last.starts_with("0x") || std::ranges::all_of(last, is_digit);
}

std::optional<Authority> read_host(std::string_view text) {
  if (text.starts_with('[')) {
    if (!text.ends_with(']')) return std::nullopt;
    auto address = read_ipv6(text.substr(1, text.size() - 2));
    if (!address) return std::nullopt;
    return Authority{.host = *std::move(address), .address = true};
  }
  std::string host = lower_ascii(text);
  if (host.ends_with('.')) host.pop_back();
  if (!is_name(host)) return std::nullopt;
  if (!looks_like_ipv4(host)) return Authority{.host = std::move(host)};
  auto address = read_ipv4(host);
  if (!address) return std::nullopt;
  return Authority{.host = *std::move(address), .address = true};
}

std::optional<std::uint16_t> read_port(std::string_view digits) {
  std::uint16_t port = 0;
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  const auto [stop, error] = std::from_chars(begin, end, port);
  if (error != std::errc() || stop != end) return std::nullopt;
  return port;
}

bool is_scheme(std::string_view scheme) {
  return !scheme.empty() && is_letter(scheme.front()) && std::ranges::all_of(scheme, [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
}

}  // namespace

std::optional<Authority> read_authority(std::string_view text) {
  const size_t bracket = text.rfind(']');
  const size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  auto authority = read_host(text.substr(0, colon));
  if (!authority || colon == std::string_view::npos) return authority;
  const std::string_view digits = text.substr(colon + 1);
  if (digits.empty()) return authority;  // RFC 3986 lets the port be empty
  authority->port = read_port(digits);
  if (!authority->port) return std::nullopt;
  return authority;
}

bool is_loopback(const Authority& authority) {
  const std::string_view host = authority.host;
  if (authority.address) return host == "::1" || host.starts_with("127.");
  return host == "localhost" || host.ends_with(".localhost");
}

bool is_loopback_address(std::string_view listen) {
  const bool bare = !listen.starts_with('[') && std::ranges::count(listen, ':') > 1;
  const auto authority =
      bare ? read_authority('[' + std::string(listen) + ']') : read_authority(listen);
  return authority && is_loopback(*authority) &&
         (authority->address || authority->host == "localhost");
}

std::optional<Origin> read_origin(std::string_view text) {
  constexpr std::string_view kMark = "://";
  const size_t mark = text.find(kMark);
  if (mark == std::string_view::npos) return std::nullopt;
  std::string scheme = lower_ascii(text.substr(0, mark));
  auto authority = read_authority(text.substr(mark + kMark.size()));
  if (!is_scheme(scheme) || !authority) return std::nullopt;
  return Origin{std::move(scheme), *std::move(authority)};
}

}  // namespace helve::mcp
