// mcp/detail/logs.h
//
// Log messages of a call, for the client that wants them from a level on: never after the answer,
// and left out while the client does not keep up. Loop thread only.
#pragma once

#include <optional>
#include <string_view>

#include "mcp/detail/running.h"

namespace helve::mcp {

// The names of RFC 5424, as the protocol has them.
inline constexpr std::string_view kLevelList =
    "debug, info, notice, warning, error, critical, alert, emergency";
std::optional<tool::LogLevel> read_level(std::string_view name);
std::string_view level_name(tool::LogLevel level);

// Sends what the tool says, if the client wants to hear it.
void send_log(const Running& running, const tool::LogEntry& entry);

}  // namespace helve::mcp
