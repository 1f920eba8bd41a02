#include "base/sorted_json.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace helve {
namespace {

void append_object(std::string& out, const JsonObject& object) {
  std::vector<const boost::json::key_value_pair*> members;
  for (const auto& member : object) members.push_back(&member);
  std::ranges::sort(members, {},
                    [](const auto* member) { return std::string_view(member->key()); });
  out += '{';
  for (const auto* member : members) {
    append_json_string(out, member->key());
    out += ':';
    append_sorted(out, member->value());
    out += ',';
  }
  out += '}';
}

}  // namespace

void append_sorted(std::string& out, const Json& value) {
  if (value.is_object()) return append_object(out, value.get_object());
  if (!value.is_array()) return append_json(out, value);
  out += '[';
  for (const Json& item : value.get_array()) {
    append_sorted(out, item);
    out += ',';
  }
  out += ']';
}

}  // namespace helve
