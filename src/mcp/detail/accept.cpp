// Accept and Content-Type.
#include "mcp/detail/event_stream.h"
#include "mcp/detail/fields.h"

namespace helve::mcp {
namespace {

// A range of Accept, or a Content-Type.
struct MediaType {
  std::string_view name;                     // "text/event-stream"
  std::vector<std::string_view> parameters;  // "charset=utf-8"
};

MediaType read_media_type(std::string_view text) {
  std::vector<std::string_view> parts = split_field(text, ';');
  MediaType type{.name = parts.front()};
  type.parameters.assign(parts.begin() + 1, parts.end());
  return type;
}

// The value of a parameter, without quotes; empty if it is not there.
std::string_view parameter(const MediaType& type, std::string_view name) {
  for (const std::string_view part : type.parameters) {
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos || !same_word(part.substr(0, equals), name)) continue;
    std::string_view value = part.substr(equals + 1);
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) {
      value = value.substr(1, value.size() - 2);
    }
    return value;
  }
  return {};
}

// "0", "0.", "0.000"
bool is_zero(std::string_view weight) {
  if (!weight.starts_with('0')) return false;
  weight.remove_prefix(1);
  if (weight.starts_with('.')) weight.remove_prefix(1);
  return weight.find_first_not_of('0') == std::string_view::npos;
}

// 0: the range does not cover the type; the higher, the closer.
int closeness(std::string_view range, std::string_view type) {
  if (same_word(range, type)) return 3;
  const size_t slash = type.find('/');
  if (same_word(range.substr(0, slash + 1), type.substr(0, slash + 1)) &&
      range.substr(slash + 1) == "*") {
    return 2;
  }
  return range == "*/*" ? 1 : 0;
}

bool takes(const std::vector<MediaType>& ranges, std::string_view type) {
  int closest = 0;
  bool taken = false;
  for (const MediaType& range : ranges) {
    const int close = closeness(range.name, type);
    if (close == 0 || close < closest) continue;
    const bool wanted = !is_zero(parameter(range, "q"));
    taken = close == closest ? taken || wanted : wanted;
    closest = close;
  }
  return taken;
}

}  // namespace

Accepted accepted_answers(const http::Headers& headers) {
  std::vector<MediaType> ranges;
  for (const http::Header& header : headers.all()) {
    if (!same_word(header.name, "Accept")) continue;
    for (const std::string_view range : split_field(header.value, ',')) {
      if (!range.empty()) ranges.push_back(read_media_type(range));
    }
  }
  if (ranges.empty()) return {};
  return {.json = takes(ranges, kJsonType), .stream = takes(ranges, kEventStream)};
}

bool has_json_body(const http::Headers& headers) {
  const Field field = find_field(headers, "Content-Type");
  if (field.count != 1) return false;
  const MediaType type = read_media_type(field.value);
  const std::string_view charset = parameter(type, "charset");
  return same_word(type.name, kJsonType) && (charset.empty() || same_word(charset, "utf-8"));
}

}  // namespace helve::mcp
