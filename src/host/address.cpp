#include "host/address.h"

#include <arpa/inet.h>

#include <charconv>
#include <optional>

#include "base/text.h"

namespace helve::host {
namespace {

std::optional<std::uint16_t> read_port(std::string_view digits) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return {};
  return port;
}

// Whether the host is one, and then whether it is loopback.
std::optional<bool> judge(const std::string& host, bool bracketed) {
  in_addr four{};
  in6_addr six{};
  if (bracketed) {
    if (::inet_pton(AF_INET6, host.c_str(), &six) != 1) return std::nullopt;
    return IN6_IS_ADDR_LOOPBACK(&six);
  }
  if (lower_ascii(host) == "localhost") return true;
  if (::inet_pton(AF_INET, host.c_str(), &four) != 1) return std::nullopt;
  return ntohl(four.s_addr) >> 24U == 127;
}

// Letters, digits, "-", "." and "_": of a name as headers have it.
bool is_name(std::string_view text) {
  constexpr std::string_view kOthers = "-._";
  if (text.empty() || text.size() > 253) return false;
  for (const char c : lower_ascii(text)) {
    if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && !kOthers.contains(c)) return false;
  }
  return true;
}

}  // namespace

Result<Address> parse_address(std::string_view text) {
  const auto invalid = refuse("serve.listen_invalid", {{"address", std::string(text)}});
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.contains('\0')) return invalid;
  std::string_view host = text.substr(0, colon);
  const std::optional<std::uint16_t> port = read_port(text.substr(colon + 1));
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const std::optional<bool> loopback = judge(std::string(host), bracketed);
  if (!port || !loopback) return invalid;
  return Address{std::string(host), *port, *loopback};
}

bool is_host_name(std::string_view text) {
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos || !judge(std::string(text.substr(1, end - 1)), true)) {
      return false;
    }
    const std::string_view rest = text.substr(end + 1);
    return rest.empty() || (rest.front() == ':' && read_port(rest.substr(1)));
  }
  const size_t colon = text.find(':');
  if (!is_name(text.substr(0, colon))) return false;
  return colon == std::string_view::npos || read_port(text.substr(colon + 1));
}

bool is_origin(std::string_view text) {
  if (text == "null") return true;
  const size_t mark = text.find("://");
  if (mark == std::string_view::npos || mark == 0) return false;
  for (const char c : text.substr(0, mark)) {  // schemes of editors too: vscode-webview
    if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '+' && c != '.') {
      return false;
    }
  }
  return is_host_name(text.substr(mark + 3));
}

}  // namespace helve::host
