#include "mcp/detail/envelope.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cmath>

#include "base/texts.h"
#include "mcp/detail/asking.h"
#include "mcp/detail/logs.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kClientKey = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view kLogLevelKey = "io.modelcontextprotocol/logLevel";
constexpr std::string_view kIdempotencyKey = "io.helve/idempotencyKey";
constexpr size_t kMostKeyBytes = 256;
constexpr size_t kMostIdBytes = 1024;  // it is kept and echoed, by progress many times

const Json* meta_member(const JsonObject& params, std::string_view key) {
  const Json* meta = params.if_contains("_meta");
  return meta == nullptr ? nullptr : find(*meta, key);
}

Malformed malformed(Json id, std::string_view rule, Texts args = {}) {
  return {std::move(id), fail(ErrorCode::kInvalidRequest, rule, std::move(args)).error()};
}

// Only modern servers know these methods, so whoever calls them forgot the envelope.
bool is_modern_method(std::string_view method) {
  return method == "server/discover" || method == "subscriptions/listen";
}

std::unexpected<ProtocolError> bad_member(std::string_view key, std::string_view expected) {
  return fail(ErrorCode::kInvalidParams, "mcp.envelope_invalid",
              {{"key", std::string(key)}, {"expected", std::string(expected)}},
              JsonObject{{"key", key}});
}

std::unexpected<ProtocolError> missing_member(std::string_view key) {
  return fail(ErrorCode::kInvalidParams, "mcp.envelope_missing", {{"key", std::string(key)}},
              JsonObject{{"missing", JsonArray{Json(key)}}});
}

std::expected<void, ProtocolError> check_envelope(const Json& meta) {
  if (!find_text(meta, kVersionKey)) return bad_member(kVersionKey, "string");
  const Json* capabilities = find(meta, kCapabilitiesKey);
  if (capabilities == nullptr) return missing_member(kCapabilitiesKey);
  if (!capabilities->is_object()) return bad_member(kCapabilitiesKey, "object");
  const Json* client = find(meta, kClientKey);
  if (client != nullptr && !client->is_object()) return bad_member(kClientKey, "object");
  const Json* level = find(meta, kLogLevelKey);
  if (level != nullptr && (!level->is_string() || !read_level(as_text(*level)))) {
    return bad_member(kLogLevelKey, kLevelList);
  }
  return {};
}

// An error says what is wrong in its message; without one the answer itself is what is wrong.
Response read_response(const JsonObject& object, Json id) {
  Response response{.id = std::move(id)};
  const Json* result = object.if_contains("result");
  if (result != nullptr && result->is_object()) {
    response.result = *result;
    return response;
  }
  const Json* error = object.if_contains("error");
  const auto message = error == nullptr ? std::nullopt : find_text(*error, "message");
  response.error = std::string(message.value_or(""));
  return response;
}

// Null where there is none.
Json id_of(const Json& message) {
  const Json* id = find(message, "id");
  return id != nullptr && is_id(*id) ? *id : Json(nullptr);
}

// Of a message that is valid JSON but not for us: a number too large, too deep.
Json salvage_id(std::string_view message) {
  constexpr size_t kMost = size_t{1024} * 1024;  // this parser knows no bound on values
  if (message.size() > kMost) return nullptr;
  boost::json::parse_options options;
  options.max_depth = 4096;
  boost::json::error_code error;
  const Json value = boost::json::parse({message.data(), message.size()}, error, {}, options);
  return error ? Json(nullptr) : id_of(value);
}

bool calls_a_tool(const Json& message) {
  if (message.is_array()) return std::ranges::any_of(message.get_array(), calls_a_tool);
  return find_text(message, "method") == "tools/call";
}

std::expected<Json, Malformed> decode_half_pairs(std::string_view message, Refusal refusal) {
  auto value = parse_json(message);
  if (value && !calls_a_tool(*value)) return *std::move(value);
  Json id = value ? id_of(*value) : Json(nullptr);
  return std::unexpected(Malformed{std::move(id), {ErrorCode::kInvalidParams, std::move(refusal)}});
}

}  // namespace

std::expected<Json, Malformed> decode(std::string_view message) {
  auto value = parse_json(message, HalfPairs::kRefused);
  if (value) return *std::move(value);
  Refusal& refusal = value.error();
  if (refusal.rule == "json.half_pair") return decode_half_pairs(message, std::move(refusal));
  Json id = refusal.rule == "json.invalid" ? Json(nullptr) : salvage_id(message);
  const auto code = id.is_null() ? ErrorCode::kParse : ErrorCode::kInvalidRequest;
  return std::unexpected(Malformed{std::move(id), {code, std::move(refusal)}});
}

bool is_id(const Json& value) {
  if (value.is_string()) return value.get_string().size() <= kMostIdBytes;
  if (value.is_int64() || value.is_uint64()) return true;
  return value.is_double() && std::trunc(value.get_double()) == value.get_double() &&
         std::abs(value.get_double()) <= 9007199254740991.0;
}

Message read_message(Json value) {
  if (!value.is_object()) return malformed(nullptr, "mcp.not_an_object");
  JsonObject& object = value.get_object();
  const Json* id = object.if_contains("id");
  Json echoed = id != nullptr && is_id(*id) ? *id : Json(nullptr);
  if (find_text(value, "jsonrpc") != "2.0") return malformed(std::move(echoed), "mcp.not_jsonrpc");
  const Json* method = object.if_contains("method");
  if (method == nullptr) {
    if (object.contains("result") || object.contains("error")) {
      return read_response(object, std::move(echoed));
    }
    return malformed(std::move(echoed), "mcp.no_method");
  }
  if (!method->is_string()) return malformed(std::move(echoed), "mcp.no_method");
  if (id != nullptr && echoed.is_null()) return malformed(nullptr, "mcp.bad_id");
  std::string name(as_text(*method));

  Json* params = object.if_contains("params");
  const bool none = params == nullptr || params->is_null();
  if (!none && !params->is_object()) {
    if (id == nullptr) return Notification{std::move(name), {}};  // never answered
    return Malformed{std::move(echoed),
                     fail(ErrorCode::kInvalidParams, "mcp.params_not_object").error()};
  }
  JsonObject members = none ? JsonObject() : std::move(params->get_object());
  if (id == nullptr) return Notification{std::move(name), std::move(members)};
  return Request{std::move(echoed), std::move(name), std::move(members)};
}

std::expected<std::optional<std::string>, ProtocolError> claimed_version(const Request& request) {
  const Json* meta = request.params.if_contains("_meta");
  if (meta != nullptr && !meta->is_object()) return bad_member("_meta", "object");
  if (meta == nullptr || find(*meta, kVersionKey) == nullptr) {
    if (is_modern_method(request.method)) return missing_member(kVersionKey);
    return std::nullopt;
  }
  const auto valid = check_envelope(*meta);
  // The handshake is older than the envelope: a broken one around it claims nothing.
  if (!valid && request.method == "initialize") return std::nullopt;
  if (!valid) return std::unexpected(valid.error());
  const std::string version(*find_text(*meta, kVersionKey));
  if (version == kModern) return version;
  return fail(ErrorCode::kVersionUnsupported, "mcp.version_unsupported",
              {{"version", version}, {"supported", std::string(kModern)}},
              JsonObject{{"supported", JsonArray{Json(kModern)}}, {"requested", version}});
}

tool::Asks claimed_asks(const JsonObject& params) {
  const Json* capabilities = meta_member(params, kCapabilitiesKey);
  return capabilities == nullptr ? tool::Asks() : asks_of(*capabilities, kModern);
}

std::optional<tool::LogLevel> claimed_log_level(const JsonObject& params) {
  const Json* level = meta_member(params, kLogLevelKey);
  if (level == nullptr || !level->is_string()) return std::nullopt;
  return read_level(as_text(*level));
}

std::expected<std::string, ProtocolError> idempotency_key(const JsonObject& params) {
  const Json* key = meta_member(params, kIdempotencyKey);
  if (key == nullptr) return "";
  if (!key->is_string() || as_text(*key).empty() || as_text(*key).size() > kMostKeyBytes) {
    return bad_member(kIdempotencyKey, text("mcp.key_expected"));
  }
  return std::string(as_text(*key));
}

std::expected<std::optional<Json>, ProtocolError> progress_token(const JsonObject& params) {
  const Json* token = meta_member(params, "progressToken");
  if (token == nullptr) return std::nullopt;
  if (!is_id(*token)) return bad_member("progressToken", "string or integer");
  return *token;
}

}  // namespace helve::mcp
