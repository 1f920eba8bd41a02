#include "http/detail/head.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/text.h"

namespace helve::http {
namespace {

constexpr char kTlsHandshake = 0x16;

Broken broken(unsigned status, std::string_view rule, Texts args = {}) {
  return {status, refuse(rule, std::move(args)).error()};
}

bool is_token_char(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  return c != '\0' && std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

// Visible characters, blanks and what is beyond ASCII; no control character but the tab.
bool is_value_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

bool is_visible(char c) { return c > 0x20 && c < 0x7f; }

// A name may come from an attacker and goes into a sentence: shortened, and only what is printable.
std::string shown(std::string_view text) {
  std::string out(text.substr(0, 40));
  std::replace_if(out.begin(), out.end(), [](char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return out;
}

// The line before the next CRLF, which is removed with it.
std::string_view take_line(std::string_view& rest) {
  const size_t end = rest.find("\r\n");
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 2);
  return line;
}

bool is_good_target(std::string_view method, std::string_view target) {
  if (!std::all_of(target.begin(), target.end(), is_visible)) return false;
  if (target.contains('#')) return false;
  if (target.starts_with('/')) return true;
  if (target == "*") return method == "OPTIONS";
  const std::string scheme = lower_ascii(target.substr(0, 8));
  const size_t authority = scheme == "https://" ? 8 : scheme.starts_with("http://") ? 7 : 0;
  return authority != 0 && target.size() > authority && target[authority] != '/' &&
         target[authority] != '?' && method != "CONNECT";
}

bool is_version(std::string_view text) {
  const auto digit = [&](size_t at) { return text[at] >= '0' && text[at] <= '9'; };
  return text.size() == 8 && text.starts_with("HTTP/") && digit(5) && text[6] == '.' && digit(7);
}

std::optional<Broken> check_request_line(std::string_view line, size_t limit) {
  const size_t first = line.find(' '), second = line.find(' ', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) {
    return broken(400, "http.request_line_invalid");
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, second - first - 1);
  const std::string_view version = line.substr(second + 1);
  if (method == "PRI" && version == "HTTP/2.0") return broken(400, "http.http2");
  if (!is_token(method) || !is_version(version)) return broken(400, "http.request_line_invalid");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return broken(505, "http.version_unsupported", {{"version", std::string(version)}});
  }
  if (target.size() > limit / 2) {
    return broken(414, "http.target_too_long", {{"limit", std::to_string(limit / 2)}});
  }
  if (!is_good_target(method, target)) return broken(400, "http.target_invalid");
  return std::nullopt;
}

// What of the header fields tells where the request ends and for whom it is.
struct Fields {
  size_t lengths = 0, encodings = 0, hosts = 0;
  std::string_view length, encoding, host;
};

std::optional<Broken> check_field(std::string_view line, Fields& fields) {
  const size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  // This refuses a folded line and a blank before the colon as well: neither is a token.
  if (colon == std::string_view::npos || !is_token(name)) {
    return broken(400, "http.header_invalid", {{"header", shown(name)}});
  }
  std::string_view value = line.substr(colon + 1);
  if (!is_field_text(value)) {
    return broken(400, "http.header_invalid", {{"header", shown(name)}});
  }
  const size_t first = value.find_first_not_of(" \t");
  value = first == std::string_view::npos
              ? std::string_view()
              : value.substr(first, value.find_last_not_of(" \t") - first + 1);
  const auto note = [&](size_t& count, std::string_view& seen) {
    ++count;
    seen = value;
  };
  if (name.size() == 4 && lower_ascii(name) == "host") note(fields.hosts, fields.host);
  if (name.size() == 14 && lower_ascii(name) == "content-length") {
    note(fields.lengths, fields.length);
  }
  if (name.size() == 17 && lower_ascii(name) == "transfer-encoding") {
    note(fields.encodings, fields.encoding);
  }
  return std::nullopt;
}

bool is_length(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value <= INT64_MAX;
}

std::optional<Broken> check_framing(const Fields& fields, bool http10) {
  if (fields.encodings > 0 && (fields.lengths > 0 || http10)) {
    return broken(400, "http.framing_ambiguous");
  }
  if (fields.lengths > 1) return broken(400, "http.framing_ambiguous");
  if (fields.lengths == 1 && !is_length(fields.length)) {
    return broken(400, "http.length_invalid", {{"length", shown(fields.length)}});
  }
  if (fields.encodings > 1 ||
      (fields.encodings == 1 && lower_ascii(fields.encoding) != "chunked")) {
    return broken(501, "http.encoding_unsupported", {{"encoding", shown(fields.encoding)}});
  }
  return std::nullopt;
}

std::optional<Broken> check_host(const Fields& fields, bool http10) {
  if (fields.hosts == 0 && http10) return std::nullopt;
  if (fields.hosts != 1) {
    return broken(400, "http.host_count", {{"count", std::to_string(fields.hosts)}});
  }
  const auto is_host_char = [](char c) {
    return is_visible(c) && !std::string_view("/\\@?#,\"<>{}|^`").contains(c);
  };
  if (!std::all_of(fields.host.begin(), fields.host.end(), is_host_char)) {
    return broken(400, "http.host_invalid", {{"host", shown(fields.host)}});
  }
  return std::nullopt;
}

Broken too_long(const HeadSearch& search, size_t limit) {
  if (search.lines == 0) {
    return broken(414, "http.target_too_long", {{"limit", std::to_string(limit / 2)}});
  }
  return broken(431, "http.header_too_long", {{"limit", std::to_string(limit)}});
}

}  // namespace

bool is_field_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_value_char);
}

bool is_trailer(std::string_view line) {
  Fields fields;
  return !check_field(line, fields) && fields.lengths + fields.encodings + fields.hosts == 0;
}

std::expected<size_t, Broken> find_head_end(std::string_view bytes, size_t limit,
                                            HeadSearch& search) {
  if (bytes.starts_with(kTlsHandshake)) return std::unexpected(broken(400, "http.tls"));
  if (!bytes.empty() && !is_token_char(bytes.front())) {
    return std::unexpected(broken(400, "http.request_line_invalid"));
  }
  const std::string_view within = bytes.substr(0, limit);
  for (;;) {
    const size_t feed = within.find('\n', search.seen);
    if (feed == std::string_view::npos) break;
    if (within[feed - 1] != '\r') return std::unexpected(broken(400, "http.line_end_invalid"));
    if (within[feed - 2] == '\n') return feed + 1;
    search.seen = feed + 1;
    ++search.lines;
  }
  if (bytes.size() >= limit) return std::unexpected(too_long(search, limit));
  return 0;
}

std::optional<Broken> check_head(std::string_view head, size_t limit) {
  const std::string_view request_line = take_line(head);
  if (auto found = check_request_line(request_line, limit)) return found;
  const bool http10 = request_line.ends_with("HTTP/1.0");
  Fields fields;
  for (std::string_view line = take_line(head); !line.empty(); line = take_line(head)) {
    if (auto found = check_field(line, fields)) return found;
  }
  if (auto found = check_framing(fields, http10)) return found;
  return check_host(fields, http10);
}

}  // namespace helve::http
