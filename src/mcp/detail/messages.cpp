#include "mcp/detail/messages.h"

#include "mcp/detail/logs.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";

std::string encode_notification(std::string_view method, JsonObject params) {
  JsonObject message{{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.empty()) message["params"] = std::move(params);
  return write_json(message);
}

JsonObject subscription_meta(const Json& id) { return {{kSubscriptionKey, id}}; }

}  // namespace

std::string encode_progress(const Json& token, double done, std::optional<double> total,
                            std::string_view message) {
  JsonObject params{{"progressToken", token}, {"progress", done}};
  if (total) params["total"] = *total;
  if (!message.empty()) params["message"] = message;
  return encode_notification("notifications/progress", std::move(params));
}

std::string encode_log(const tool::LogEntry& entry, std::string_view logger) {
  return encode_notification(
      "notifications/message",
      {{"level", level_name(entry.level)}, {"logger", logger}, {"data", entry.data}});
}

std::string encode_request(std::string_view id, std::string_view method, JsonObject params) {
  return write_json(JsonObject{
      {"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
}

std::string encode_cancelled(std::string_view id) {
  return encode_notification("notifications/cancelled", {{"requestId", id}});
}

std::string encode_change(std::string_view method, JsonObject params, const Json* subscription) {
  if (subscription != nullptr) params["_meta"] = subscription_meta(*subscription);
  return encode_notification(method, std::move(params));
}

std::string encode_subscription(const Json& id, JsonObject granted) {
  return encode_notification(
      "notifications/subscriptions/acknowledged",
      {{"_meta", subscription_meta(id)}, {"notifications", std::move(granted)}});
}

std::string encode_subscription_end(const Json& id, const Wire& wire) {
  return encode_result(id, JsonObject{{"_meta", subscription_meta(id)}}, wire);
}

}  // namespace helve::mcp
