// mcp/guard.h
//
// R13, against DNS rebinding: which Host and Origin a request may carry. This machine's own names
// pass in all spellings and with any port; anything else must be listed. And the token of a
// request; whether it is the right one is decided elsewhere. Immutable; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/refusal.h"
#include "http/message.h"
#include "mcp/authority.h"

namespace helve::mcp {

class Guard {
 public:
  Guard() = default;  // loopback alone

  // A host is NAME (any port), NAME:PORT, an address, or *.NAME for all names below NAME, however
  // deep. An origin is SCHEME://HOST[:PORT], the same with "*."; without a port it has its
  // scheme's. Refused: http.allow_host_invalid {value, option}, http.allow_origin_invalid {value,
  // option}.
  static Result<Guard> make(const std::vector<std::string>& hosts,
                            const std::vector<std::string>& origins);

  // An absent Origin passes (only browsers send one), "null" never does.
  // Refused: http.host_count {count}, http.host_refused {value, option},
  // http.origin_refused {value, option}; `value` is bounded and fit for a terminal.
  Result<void> admit(const http::Headers& headers) const;

 private:
  struct Allowed {
    std::string scheme;  // of an origin
    Authority authority;
    bool below = false;  // all names below it, not itself
  };
  static std::optional<Allowed> read_host(std::string_view text);
  static std::optional<Allowed> read_origin(std::string_view text);

  bool allows_host(std::string_view value) const;
  bool allows_origin(std::string_view value) const;

  std::vector<Allowed> hosts_, origins_;
};

// X of `Authorization: Bearer X`; nullopt if there is no such header, another scheme, or several.
// A view into `headers`.
std::optional<std::string_view> bearer_token(const http::Headers& headers);

}  // namespace helve::mcp
