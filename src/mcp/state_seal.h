// mcp/state_seal.h
//
// The `requestState` of an input_required result: what the server wants back with the next round,
// carried by the client and signed by us (HMAC-SHA256). It is bound to the caller and to the
// request, lives for a short time and opens once. Signed, not encrypted: the client can read the
// payload, so no secrets in it. What was opened is remembered in memory only: with a key from a
// file, a state that was used before a restart opens once more.
// Loop thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/refusal.h"
#include "base/time.h"

namespace helve::mcp {

// What a state is good for: the same request, repeated by the same caller.
struct StateBinding {
  std::string session;  // the session's id, or the principal where there are no sessions
  std::string method;   // "tools/call"
  std::string name;     // of the tool or prompt, or the resource's URI
  Json arguments;       // compared by value: the order of members does not matter
};

struct StateTerms {
  std::chrono::milliseconds life = std::chrono::minutes(10);
  bool repeatable = false;  // opens any number of times while it lives
};

struct OpenedState {
  JsonObject payload;
  WallClock::time_point issued;  // to the millisecond
};

inline constexpr size_t kMaxStateBytes = 64 * 1024;  // of the text
inline constexpr size_t kMaxUsedStates = 10'000;
inline constexpr size_t kStateKeyBytes = 32;

std::string new_state_key();  // from the system's random source

class StateSeal {
 public:
  explicit StateSeal(std::string key);  // at least kStateKeyBytes

  // Opaque text of letters, digits, "-" and "_"; never the same twice.
  // Refused: state.too_large {limit}.
  Result<std::string> seal(const StateBinding& binding, const JsonObject& payload,
                           WallClock::time_point now, StateTerms terms = {}) const;

  // Refused: state.forged (changed, malformed, of another key, caller or request: all alike),
  // state.expired, state.used. Beyond kMaxUsedStates, those that expire first are forgotten.
  Result<OpenedState> open(std::string_view text, const StateBinding& binding,
                           WallClock::time_point now);

  size_t remembered() const { return used_.size(); }

 private:
  bool use(std::int64_t expires, std::string_view nonce, std::int64_t now);
  std::string sign(std::string_view body, const StateBinding& binding) const;

  std::string key_;
  std::set<std::pair<std::int64_t, std::string>> used_;  // expiry and nonce of what was opened
};

}  // namespace helve::mcp
