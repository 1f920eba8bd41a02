// mcp/detail/header_rules.h
//
// The headers of the modern revision repeat parts of the body, for proxies that route by them; here
// they are held against it (1.2). What disagrees is refused with -32020, so that nobody acts on the
// one while we act on the other. Names compare without case, values exactly. Pure; any thread.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "mcp/detail/wire.h"

namespace helve::mcp {

// Always -32020: mcp.header_missing {header, body}, mcp.header_mismatch {header, sent, body},
// mcp.header_repeated {header, count}, mcp.header_encoding {header, sent}; the details are the
// same.
using Checked = std::expected<void, ProtocolError>;

// MCP-Protocol-Version, if it is there, is `claimed`: the version that the body names. Comes before
// the question whether we serve that version (1.3, step 4).
Checked check_version_header(const http::Headers& headers, std::string_view claimed);

enum class Presence { kDemanded, kOptional };  // of requests it is demanded, not of notifications

// MCP-Protocol-Version, Mcp-Method, and Mcp-Name for tools/call and prompts/get (params.name),
// resources/read (params.uri) and the tasks (params.taskId). A body without that name is refused
// elsewhere.
Checked check_standard_headers(const http::Headers& headers, std::string_view claimed,
                               std::string_view method, const JsonObject& params,
                               Presence presence = Presence::kDemanded);

// An argument that its schema marks with "x-mcp-header": "Region".
struct ParamHeader {
  std::string header;             // "Mcp-Param-Region"
  std::vector<std::string> path;  // names of properties, from the arguments down
  bool number = false;            // of type integer: 42 and 42.0 are the same
  bool operator==(const ParamHeader&) const = default;
};

// The marks of a tool's input schema; for load time. Clients drop tools with a wrong one. Refused:
// schema.header_place {pointer}, schema.header_name {pointer, found}, schema.header_type {pointer,
// found}, schema.header_twice {pointer, name}.
Result<std::vector<ParamHeader>> read_param_headers(const Json& input_schema);

// `arguments` as sent, before they are coerced. A header for an argument that is null or absent is
// not looked at, nor is one for a value that is no text, number or boolean. Whole numbers beyond
// 2^53 may come without it: clients in JavaScript leave it out.
Checked check_param_headers(const http::Headers& headers, const std::vector<ParamHeader>& marks,
                            const Json& arguments);

// Printable ASCII as it is, anything else as =?base64?...?= (UTF-8, padded). Nullopt if it is
// neither; what is not wrapped exactly so stands for itself.
std::optional<std::string> decode_header_value(std::string_view value);
std::string encode_header_value(std::string_view value);

}  // namespace helve::mcp
