// base/sorted_json.h
//
// One text for all spellings of a JSON value: members by name, no blanks. To be digested or signed;
// it is not JSON. Pure; any thread.
#pragma once

#include <string>

#include "base/json.h"

namespace helve {

void append_sorted(std::string& out, const Json& value);

inline std::string sorted_text(const Json& value) {
  std::string out;
  append_sorted(out, value);
  return out;
}

}  // namespace helve
