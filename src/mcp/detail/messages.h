// mcp/detail/messages.h
//
// The messages of ours that are no responses: notifications, and requests to the client. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mcp/detail/wire.h"

namespace helve::mcp {

std::string encode_progress(const Json& token, double done, std::optional<double> total,
                            std::string_view message);
std::string encode_log(const tool::LogEntry& entry, std::string_view logger);

std::string encode_request(std::string_view id, std::string_view method, JsonObject params);
// The client need not answer this request of ours any more.
std::string encode_cancelled(std::string_view id);

// A notification about a change, such as "notifications/tools/list_changed". `subscription`: the id
// of the modern request that asked for it; null for a handshake client.
std::string encode_change(std::string_view method, JsonObject params, const Json* subscription);

std::string encode_subscription(const Json& id, JsonObject granted);
std::string encode_subscription_end(const Json& id, const Wire& wire);

}  // namespace helve::mcp
