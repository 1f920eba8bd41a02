// Headers of an MCP request, one `name: value` a line, and behind an empty line the parameters:
// what is read can be written again, what passes by default is loopback, and a client that mirrors
// the body is never refused.
#include "base/base64.h"
#include "base/check.h"
#include "base/text.h"
#include "mcp/detail/event_stream.h"
#include "mcp/detail/fields.h"
#include "mcp/detail/header_rules.h"
#include "mcp/guard.h"

namespace {

using namespace helve;

http::Headers read_headers(std::string_view text) {
  http::Headers headers;
  for (const std::string_view line : split(text, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    headers.add(std::string(line.substr(0, colon)), std::string(line.substr(colon + 1)));
  }
  return headers;
}

void check_value(std::string_view value) {
  if (const auto bytes = decode_base64(value)) HELVE_CHECK(encode_base64(*bytes) == value);
  if (const auto bytes = decode_base64url(value)) HELVE_CHECK(encode_base64url(*bytes) == value);
  if (is_utf8(value)) {
    const std::string encoded = mcp::encode_header_value(value);
    HELVE_CHECK(mcp::trim_field(encoded) == encoded);
    HELVE_CHECK(mcp::decode_header_value(encoded) == value);
  }
  HELVE_CHECK(is_utf8(mcp::shown(value)) && mcp::shown(value).size() <= 123);
}

std::string written(const mcp::Authority& authority) {
  const bool v6 = authority.host.contains(':');
  std::string out = v6 ? '[' + authority.host + ']' : authority.host;
  if (authority.port) out += ':' + std::to_string(*authority.port);
  return out;
}

void check_authority(std::string_view value) {
  const auto authority = mcp::read_authority(value);
  const bool loopback = authority && mcp::is_loopback(*authority);
  HELVE_CHECK(mcp::Guard().admit({{"Host", std::string(value)}}).has_value() ==
              (loopback || (mcp::trim_field(value) != value &&
                            mcp::Guard().admit({{"Host", std::string(mcp::trim_field(value))}}))));
  if (authority) HELVE_CHECK(mcp::read_authority(written(*authority)) == authority);
  if (loopback) HELVE_CHECK(mcp::Guard().admit({{"Host", written(*authority)}}));
  const auto listed = mcp::Guard::make({std::string(value)}, {});
  if (listed && authority) HELVE_CHECK(listed->admit({{"Host", written(*authority)}}));
}

// The data of one event, as a client puts it together again.
std::string read_event(std::string_view text) {
  constexpr std::string_view kField = "data: ";
  HELVE_CHECK(text.ends_with("\n\n"));
  std::string data;
  for (const std::string_view line : split(text.substr(0, text.size() - 2), '\n')) {
    HELVE_CHECK(line.starts_with(kField));
    data.append(line.substr(kField.size())) += '\n';
  }
  data.pop_back();
  return data;
}

std::string with_line_feeds(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\r' && text.substr(at + 1).starts_with('\n')) continue;
    out += text[at] == '\r' ? '\n' : text[at];
  }
  return out;
}

void mirror(http::Headers& headers, const std::string& name, const Json* body) {
  if (body == nullptr || !(body->is_string() || body->is_number() || body->is_bool())) return;
  headers.add(name,
              mcp::encode_header_value(body->is_string() ? as_text(*body) : write_json(*body)));
}

void check_mirrored(const JsonObject& params) {
  http::Headers headers = {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/call"}};
  const Json* const name = find(params, "name");
  if (name != nullptr && name->is_string()) mirror(headers, "Mcp-Name", name);
  HELVE_CHECK(mcp::check_standard_headers(headers, "2026-07-28", "tools/call", params));
  mirror(headers, "Mcp-Param-A", find(params, "a"));
  const std::vector<mcp::ParamHeader> marks = {
      {.header = "Mcp-Param-A", .path = {"a"}, .number = true}};
  HELVE_CHECK(mcp::check_param_headers(headers, marks, params));
}

void check_parameters(const http::Headers& headers, const Json& params) {
  const auto marks = mcp::read_param_headers(params);
  if (marks) (void)mcp::check_param_headers(headers, *marks, params);
  if (!params.is_object()) return;
  for (const char* method : {"tools/call", "resources/read", "tasks/get", "tools/list"}) {
    (void)mcp::check_standard_headers(headers, "2026-07-28", method, params.get_object());
  }
  check_mirrored(params.get_object());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find("\n\n");
  const http::Headers headers = read_headers(input.substr(0, end));
  for (const http::Header& header : headers.all()) {
    check_value(header.value);
    check_authority(header.value);
  }
  HELVE_CHECK(read_event(mcp::encode_event({.data = input})) == with_line_feeds(input));
  (void)mcp::accepted_answers(headers);
  (void)mcp::has_json_body(headers);
  (void)mcp::Guard().admit(headers);
  if (const auto token = mcp::bearer_token(headers)) HELVE_CHECK(!token->contains(' '));
  if (end == std::string_view::npos) return 0;
  if (const auto params = parse_json(input.substr(end + 2))) check_parameters(headers, *params);
  return 0;
}
