#include "store/detail/postgres_address.h"

#include <algorithm>
#include <charconv>
#include <memory>

#include "base/text.h"

namespace helve::store {
namespace {

constexpr std::string_view kScheme = "://";

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned char byte = 0;
    const std::string_view digits = text.substr(at, 3);
    const char* end = digits.data() + digits.size();
    const bool escape = digits.size() == 3 && digits[0] == '%' &&
                        std::from_chars(digits.data() + 1, end, byte, 16).ptr == end;
    out += escape ? static_cast<char>(byte) : text[at];
    if (escape) at += 2;
  }
  return out;
}

// The `host` among "name=value&name=value".
std::string host_in(std::string_view query) {
  for (const std::string_view parameter : split(query, '&')) {
    if (parameter.starts_with("host=")) return unescaped(parameter.substr(5));
  }
  return {};
}

bool may_be_secret(std::string_view keyword, std::string_view value) {
  const auto is_port = [](char c) { return c == ',' || (c >= '0' && c <= '9'); };
  if (keyword == "port") return !std::ranges::all_of(value, is_port);
  const bool shown = keyword == "host" || keyword == "hostaddr" || keyword == "dbname";
  return shown && value.contains('@');
}

}  // namespace

std::string place_of(std::string_view at) {
  constexpr const char* kKind = "PostgreSQL";
  const std::size_t scheme = at.find(kScheme);
  if (scheme == std::string_view::npos || std::ranges::count(at, '@') > 1) return kKind;
  std::string_view place = at.substr(scheme + kScheme.size());
  if (const auto user = place.find('@'); user != std::string_view::npos) {
    place.remove_prefix(user + 1);
  }
  const std::size_t query = std::min(place.find('?'), place.size());
  const std::string rest = query < place.size() ? host_in(place.substr(query + 1)) : std::string();
  place = place.substr(0, query);
  const bool unnamed = place.empty() || place.starts_with('/');
  const std::string shown = (unnamed ? rest : std::string()) + unescaped(place);
  return flatten_controls(to_utf8(shown.empty() ? kKind : std::string(kKind) + ", " + shown));
}

Result<void> check_address(const Libpq& pq, const std::string& at) {
  char* complaint = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(pq.conninfo_free)> options(
      pq.conninfo_parse(at.c_str(), &complaint), pq.conninfo_free);
  if (complaint != nullptr) pq.freemem(complaint);
  if (!options) return refuse("store.address_invalid");
  for (const PQconninfoOption* each = options.get(); each->keyword != nullptr; ++each) {
    if (each->val != nullptr && may_be_secret(each->keyword, each->val)) {
      return refuse("store.address_invalid");
    }
  }
  return {};
}

}  // namespace helve::store
