// mcp/detail/event_stream.h
//
// What goes over a stream of server-sent events (WHATWG HTML, 9.2), and which of the two kinds of
// answer a client takes. Pure; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace helve::mcp {

inline constexpr std::string_view kEventStream = "text/event-stream";
inline constexpr std::string_view kJsonType = "application/json";

struct Event {
  std::string_view data;               // each line becomes a field; CR and CRLF arrive as LF
  std::optional<std::string_view> id;  // without line ends and NUL
  std::optional<std::chrono::milliseconds> retry;
};
std::string encode_event(const Event& event);

// Nothing to a client; keeps proxies from closing a stream that is silent.
std::string encode_comment(std::string_view words = {});

// The answers that the Accept headers allow. No such header, or an empty one, allows both; an exact
// type counts before "text/*", that before "*/*"; q=0 excludes.
struct Accepted {
  bool json = true;
  bool stream = true;
  bool operator==(const Accepted&) const = default;
};
Accepted accepted_answers(const http::Headers& headers);

// One Content-Type that is application/json, with the charset utf-8 or none.
bool has_json_body(const http::Headers& headers);

}  // namespace helve::mcp
