#include "mcp/detail/logs.h"

#include <algorithm>
#include <array>

#include "mcp/detail/messages.h"

namespace helve::mcp {
namespace {

constexpr std::array<std::string_view, 8> kNames = {"debug", "info",     "notice", "warning",
                                                    "error", "critical", "alert",  "emergency"};

}  // namespace

std::optional<tool::LogLevel> read_level(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<tool::LogLevel>(found - kNames.begin());
}

std::string_view level_name(tool::LogLevel level) { return kNames.at(static_cast<size_t>(level)); }

void send_log(const Running& running, const tool::LogEntry& entry) {
  if (running.done || !running.log_from || entry.level < *running.log_from ||
      running.sink->congested())
    return;
  running.sink->notify(encode_log(entry, running.name));
}

}  // namespace helve::mcp
