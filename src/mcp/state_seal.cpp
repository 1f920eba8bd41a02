#include "mcp/state_seal.h"

#include <optional>

#include "base/base64.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/sorted_json.h"

namespace helve::mcp {
namespace {

// The body of a state: version, flags, nonce, issued, expires (milliseconds since 1970, big
// endian), payload. Its signature follows.
constexpr char kVersion = 1;
constexpr char kRepeatable = 1;
constexpr size_t kNonceBytes = 16;
constexpr size_t kTimeBytes = 8;
constexpr size_t kNonceAt = 2;
constexpr size_t kIssuedAt = kNonceAt + kNonceBytes;
constexpr size_t kExpiresAt = kIssuedAt + kTimeBytes;
constexpr size_t kPayloadAt = kExpiresAt + kTimeBytes;

// Keeps signatures of states apart from all else that may be signed with the same key.
constexpr std::string_view kPurpose = "helve requestState";

std::int64_t to_milliseconds(WallClock::time_point at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

void append_number(std::string& out, std::uint64_t number) {
  for (size_t i = kTimeBytes; i-- > 0;) out += static_cast<char>(number >> 8 * i & 255U);
}

std::int64_t read_number(std::string_view body, size_t at) {
  std::uint64_t number = 0;
  for (const char c : body.substr(at, kTimeBytes)) {
    number = number << 8U | static_cast<unsigned char>(c);
  }
  return static_cast<std::int64_t>(number);
}

void append_field(std::string& out, std::string_view field) {
  append_number(out, field.size());
  out += field;
}

std::optional<JsonObject> read_payload(std::string_view body) {
  auto payload = parse_json(body.substr(kPayloadAt));
  if (!payload || !payload->is_object()) return std::nullopt;
  return std::move(payload->get_object());
}

}  // namespace

std::string new_state_key() { return random_bytes(kStateKeyBytes); }

StateSeal::StateSeal(std::string key) : key_(std::move(key)) {
  HELVE_CHECK(key_.size() >= kStateKeyBytes);
}

// The binding is signed along but not sent: the client repeats the request anyway.
std::string StateSeal::sign(std::string_view body, const StateBinding& binding) const {
  std::string signed_text(kPurpose);
  append_field(signed_text, body);
  append_field(signed_text, binding.session);
  append_field(signed_text, binding.method);
  append_field(signed_text, binding.name);
  append_field(signed_text, sha256(sorted_text(binding.arguments)));
  return hmac_sha256(key_, signed_text);
}

Result<std::string> StateSeal::seal(const StateBinding& binding, const JsonObject& payload,
                                    WallClock::time_point now, StateTerms terms) const {
  std::string body{kVersion, terms.repeatable ? kRepeatable : char{0}};
  body += random_bytes(kNonceBytes);
  append_number(body, static_cast<std::uint64_t>(to_milliseconds(now)));
  append_number(body, static_cast<std::uint64_t>(to_milliseconds(now) + terms.life.count()));
  append_json(body, payload);
  std::string text = encode_base64url(body + sign(body, binding));
  if (text.size() > kMaxStateBytes) {
    return refuse("state.too_large", {{"limit", bytes_text(kMaxStateBytes)}});
  }
  return text;
}

Result<OpenedState> StateSeal::open(std::string_view text, const StateBinding& binding,
                                    WallClock::time_point now) {
  if (text.size() > kMaxStateBytes) return refuse("state.forged");
  const auto bytes = decode_base64url(text);
  if (!bytes || bytes->size() < kPayloadAt + kDigestBytes) return refuse("state.forged");
  const std::string_view all = *bytes;
  const std::string_view body = all.substr(0, all.size() - kDigestBytes);
  if (!equal_in_constant_time(all.substr(body.size()), sign(body, binding))) {
    return refuse("state.forged");
  }
  auto payload = body[0] == kVersion ? read_payload(body) : std::nullopt;
  if (!payload) return refuse("state.forged");
  const std::int64_t expires = read_number(body, kExpiresAt);
  const std::int64_t at = to_milliseconds(now);
  if (at >= expires) return refuse("state.expired");
  const bool repeatable = (body[1] & kRepeatable) != 0;
  if (!repeatable && !use(expires, body.substr(kNonceAt, kNonceBytes), at)) {
    return refuse("state.used");
  }
  const std::chrono::milliseconds issued(read_number(body, kIssuedAt));
  return OpenedState{*std::move(payload), WallClock::time_point(issued)};
}

bool StateSeal::use(std::int64_t expires, std::string_view nonce, std::int64_t now) {
  used_.erase(used_.begin(), used_.lower_bound({now + 1, {}}));
  std::pair<std::int64_t, std::string> mark(expires, nonce);
  if (used_.contains(mark)) return false;
  if (used_.size() == kMaxUsedStates) used_.erase(used_.begin());
  used_.insert(std::move(mark));
  return true;
}

}  // namespace helve::mcp
