// base/jsonc.h
//
// JSON as people write it in configuration files: `//` and `/* */` comments, trailing commas, a
// byte order mark. Knows where each member stands, so that a remark about a JSON pointer can name
// line and column. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/refusal.h"

namespace helve {

struct JsonDocument {
  Json value;
  std::string text;  // the source with comments and trailing commas blanked; offsets are kept

  // Where the member stands: its key, or the item itself in an array. The closest enclosing place
  // if the pointer leads nowhere.
  Position locate(std::string_view pointer) const;
};

// Refused: as parse_json, and json.duplicate_key {key, line, column}.
Result<JsonDocument> parse_jsonc(std::string_view source);

}  // namespace helve
