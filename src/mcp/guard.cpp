#include "mcp/guard.h"

#include <algorithm>

#include "mcp/detail/fields.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kBelow = "*.";
constexpr const char* kHostOption = "--allow-host";
constexpr const char* kOriginOption = "--allow-origin";

constexpr std::uint16_t kHttp = 80;
constexpr std::uint16_t kHttps = 443;

std::optional<std::uint16_t> port_of(std::string_view scheme, const Authority& authority) {
  if (authority.port) return authority.port;
  if (scheme == "http") return kHttp;
  if (scheme == "https") return kHttps;
  return std::nullopt;
}

bool same_host(const Authority& allowed, bool below, const Authority& sent) {
  if (!below) return allowed.host == sent.host;
  return !sent.address && sent.host.ends_with('.' + allowed.host);
}

// A Host without a port has that of the outer scheme, which a proxy hides from us.
bool same_port(const Authority& allowed, const Authority& sent) {
  if (!allowed.port || allowed.port == sent.port) return true;
  return !sent.port && (allowed.port == kHttp || allowed.port == kHttps);
}

bool is_token_of_rfc_6750(std::string_view text) {
  const std::string_view digits = text.substr(0, text.find_last_not_of('=') + 1);
  return !digits.empty() && std::ranges::all_of(digits, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._~+/").contains(c);
  });
}

}  // namespace

std::optional<Guard::Allowed> Guard::read_host(std::string_view text) {
  const bool below = text.starts_with(kBelow);
  if (below) text.remove_prefix(kBelow.size());
  auto authority = read_authority(text);
  if (!authority || (below && authority->address)) return std::nullopt;
  return Allowed{.authority = *std::move(authority), .below = below};
}

std::optional<Guard::Allowed> Guard::read_origin(std::string_view text) {
  if (text.ends_with('/')) text.remove_suffix(1);  // as copied from a browser
  const size_t star = text.find("://*.");
  std::string plain(text);
  if (star != std::string_view::npos) plain.erase(star + 3, kBelow.size());
  auto origin = mcp::read_origin(plain);
  if (!origin || (star != std::string_view::npos && origin->authority.address)) return std::nullopt;
  return Allowed{.scheme = std::move(origin->scheme),
                 .authority = std::move(origin->authority),
                 .below = star != std::string_view::npos};
}

Result<Guard> Guard::make(const std::vector<std::string>& hosts,
                          const std::vector<std::string>& origins) {
  Guard guard;
  for (const std::string& text : hosts) {
    auto host = read_host(text);
    if (!host) {
      return refuse("http.allow_host_invalid", {{"value", shown(text)}, {"option", kHostOption}});
    }
    guard.hosts_.push_back(*std::move(host));
  }
  for (const std::string& text : origins) {
    auto origin = read_origin(text);
    if (!origin) {
      return refuse("http.allow_origin_invalid",
                    {{"value", shown(text)}, {"option", kOriginOption}});
    }
    guard.origins_.push_back(*std::move(origin));
  }
  return guard;
}

bool Guard::allows_host(std::string_view value) const {
  const auto sent = read_authority(value);
  if (!sent) return false;
  return is_loopback(*sent) || std::ranges::any_of(hosts_, [&](const Allowed& allowed) {
           return same_host(allowed.authority, allowed.below, *sent) &&
                  same_port(allowed.authority, *sent);
         });
}

bool Guard::allows_origin(std::string_view value) const {
  const auto sent = mcp::read_origin(value);
  if (!sent) return false;
  const bool web = sent->scheme == "http" || sent->scheme == "https";
  if (web && is_loopback(sent->authority)) return true;
  return std::ranges::any_of(origins_, [&](const Allowed& allowed) {
    return allowed.scheme == sent->scheme &&
           same_host(allowed.authority, allowed.below, sent->authority) &&
           port_of(allowed.scheme, allowed.authority) == port_of(sent->scheme, sent->authority);
  });
}

Result<void> Guard::admit(const http::Headers& headers) const {
  const Field host = find_field(headers, "Host");
  if (host.count != 1) return refuse("http.host_count", {{"count", std::to_string(host.count)}});
  if (!allows_host(host.value)) {
    return refuse("http.host_refused", {{"value", shown(host.value)}, {"option", kHostOption}});
  }
  const Field origin = find_field(headers, "Origin");
  if (origin.count > 1 || (origin.count == 1 && !allows_origin(origin.value))) {
    return refuse("http.origin_refused",
                  {{"value", shown(origin.value)}, {"option", kOriginOption}});
  }
  return {};
}

std::optional<std::string_view> bearer_token(const http::Headers& headers) {
  constexpr std::string_view kScheme = "Bearer";
  const Field field = find_field(headers, "Authorization");
  const std::string_view scheme = field.value.substr(0, field.value.find(' '));
  if (field.count != 1 || !same_word(scheme, kScheme)) return std::nullopt;
  const std::string_view token = trim_field(field.value.substr(scheme.size()));
  if (!is_token_of_rfc_6750(token)) return std::nullopt;
  return token;
}

}  // namespace helve::mcp
