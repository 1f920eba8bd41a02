// mcp/detail/wire.h
//
// Messages as the client's revision wants them. One set of handlers, written for the modern
// revision; what an older one lacks is dropped or put in other words here. Pure.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/refusal.h"
#include "tool/tool.h"

namespace helve::mcp {

struct ServerInfo;

inline constexpr std::string_view kModern = "2026-07-28";
// Newest first: the first is the answer to a handshake with an unknown revision.
inline constexpr std::array<std::string_view, 4> kLegacy = {"2025-11-25", "2025-06-18",
                                                            "2025-03-26", "2024-11-05"};

struct Wire {
  bool modern = true;
  bool structured = true;   // output schemas, structured content, links, titles: from 2025-06-18
  bool annotations = true;  // of tools: from 2025-03-26
  bool rich_forms = true;   // elicitation with modes, titled choices, URLs: from 2025-11-25
  const ServerInfo* info = nullptr;
};
Wire wire_of(std::string_view revision, const ServerInfo& info);

enum class ErrorCode {
  kParse = -32700,
  kInvalidRequest = -32600,
  kMethodUnknown = -32601,
  kInvalidParams = -32602,
  kInternal = -32603,
  kResourceMissing = -32002,  // before the modern revision
  kHeaderMismatch = -32020,
  kCapabilityMissing = -32021,
  kVersionUnsupported = -32022,
};

struct ProtocolError {
  ErrorCode code = ErrorCode::kInternal;
  Refusal what;  // its details become members of `data`
};
using Outcome = std::expected<JsonObject, ProtocolError>;

std::unexpected<ProtocolError> fail(ErrorCode code, std::string_view rule, Texts args = {},
                                    Json details = nullptr);

std::string encode_error(const Json& id, const ProtocolError& error);
std::string encode_result(const Json& id, JsonObject result, const Wire& wire);
std::string encode_answer(const Json& id, const tool::Answer& answer, const Wire& wire,
                          bool wrap_structured);
// What the client is asked for before the request can go on; modern only.
std::string encode_needs(const Json& id, JsonObject requests, std::string_view state,
                         const Wire& wire);

// A tool as a list shows it.
JsonObject tool_row(const tool::Tool& tool, const Wire& wire);

// SDK 1.x clients refuse the whole list if the root of an output schema is not an object, so older
// revisions get {"result": ...} for such tools.
bool needs_wrapping(const tool::Tool& tool, const Wire& wire);

}  // namespace helve::mcp
