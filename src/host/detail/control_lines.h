// host/detail/control_lines.h
//
// What goes over the control socket: one JSON object a line, one request per connection, then the
// answers to it. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/refusal.h"

namespace helve::host {

inline constexpr size_t kMostRequest = 4096;       // bytes of a request
inline constexpr size_t kMostAnswer = 512 * 1024;  // bytes of one line of an answer

enum class ControlVerb { kList, kFollow, kStop };

struct ControlRequest {
  ControlVerb verb = ControlVerb::kList;
  std::string job;           // of kFollow and kStop
  std::uint64_t cursor = 0;  // of kFollow: where to begin
};

std::string control_line(const ControlRequest& request);

// Refused: control.invalid {reason}.
Result<ControlRequest> read_control_line(std::string_view line);

// {"refusal": {rule, args}}, and back.
std::string refusal_line(const Refusal& refusal);
std::optional<Refusal> read_refusal(const Json& answer);

}  // namespace helve::host
