#include "mcp/detail/header_rules.h"

#include <array>
#include <utility>

#include "mcp/detail/fields.h"
#include "mcp/detail/header_errors.h"

namespace helve::mcp {
namespace {

constexpr const char* kVersionHeader = "MCP-Protocol-Version";
constexpr const char* kMethodHeader = "Mcp-Method";
constexpr const char* kNameHeader = "Mcp-Name";

// The member of the parameters that Mcp-Name repeats; "" for methods without one.
std::string_view name_member(std::string_view method) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kMembers = {{
      {"tools/call", "name"},
      {"prompts/get", "name"},
      {"resources/read", "uri"},
      {"tasks/get", "taskId"},
      {"tasks/update", "taskId"},
      {"tasks/cancel", "taskId"},
  }};
  for (const auto& [known, member] : kMembers) {
    if (known == method) return member;
  }
  return {};
}

// Versions and methods are ASCII and never wrapped: a proxy may compare them as they stand.
Checked check_plain(const http::Headers& headers, const char* name, std::string_view body,
                    Presence presence) {
  const Field field = find_field(headers, name);
  if (field.count > 1) return header_repeated(name, field.count);
  if (field.count == 0) {
    if (presence == Presence::kOptional) return {};
    return header_missing(name, body);
  }
  if (field.value != body) return header_mismatch(name, field.value, body);
  return {};
}

Checked check_name(const http::Headers& headers, std::string_view method, const JsonObject& params,
                   Presence presence) {
  const std::string_view member = name_member(method);
  if (member.empty()) return {};
  const Field field = find_field(headers, kNameHeader);
  if (field.count > 1) return header_repeated(kNameHeader, field.count);
  const Json* const body = find(params, member);
  const bool named = body != nullptr && body->is_string();
  if (field.count == 0) {
    if (!named || presence == Presence::kOptional) return {};
    return header_missing(kNameHeader, as_text(*body));
  }
  const auto sent = decode_header_value(field.value);
  if (!sent) return header_encoding(kNameHeader, field.value);
  if (named && *sent != as_text(*body)) return header_mismatch(kNameHeader, *sent, as_text(*body));
  return {};
}

}  // namespace

Checked check_version_header(const http::Headers& headers, std::string_view claimed) {
  return check_plain(headers, kVersionHeader, claimed, Presence::kOptional);
}

Checked check_standard_headers(const http::Headers& headers, std::string_view claimed,
                               std::string_view method, const JsonObject& params,
                               Presence presence) {
  if (auto version = check_plain(headers, kVersionHeader, claimed, presence); !version) {
    return version;
  }
  if (auto same = check_plain(headers, kMethodHeader, method, presence); !same) return same;
  return check_name(headers, method, params, presence);
}

}  // namespace helve::mcp
