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

// Sends what the tool named `logger` says.
void send_log(Running& running, const tool::LogEntry& entry, std::string_view logger);

}  // namespace helve::mcp
