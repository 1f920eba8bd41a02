// mcp/detail/header_errors.h
//
// The ways in which a header disagrees with the body, as -32020. Values are shown bounded and fit
// for a terminal. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "mcp/detail/fields.h"
#include "mcp/detail/wire.h"

namespace helve::mcp {

inline std::unexpected<ProtocolError> header_missing(const std::string& header,
                                                     std::string_view body) {
  return fail(ErrorCode::kHeaderMismatch, "mcp.header_missing",
              {{"header", header}, {"body", shown(body)}},
              JsonObject{{"header", header}, {"body", shown(body)}});
}

inline std::unexpected<ProtocolError> header_mismatch(const std::string& header,
                                                      std::string_view sent,
                                                      std::string_view body) {
  return fail(ErrorCode::kHeaderMismatch, "mcp.header_mismatch",
              {{"header", header}, {"sent", shown(sent)}, {"body", shown(body)}},
              JsonObject{{"header", header}, {"sent", shown(sent)}, {"body", shown(body)}});
}

inline std::unexpected<ProtocolError> header_encoding(const std::string& header,
                                                      std::string_view sent) {
  return fail(ErrorCode::kHeaderMismatch, "mcp.header_encoding",
              {{"header", header}, {"sent", shown(sent)}},
              JsonObject{{"header", header}, {"sent", shown(sent)}});
}

inline std::unexpected<ProtocolError> header_repeated(const std::string& header, size_t count) {
  return fail(ErrorCode::kHeaderMismatch, "mcp.header_repeated",
              {{"header", header}, {"count", std::to_string(count)}},
              JsonObject{{"header", header}, {"count", count}});
}

}  // namespace helve::mcp
