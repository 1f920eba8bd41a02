#include "mcp/detail/event_stream.h"

#include "base/check.h"

namespace helve::mcp {
namespace {

// Takes the first line off `text`: up to LF, CR or CRLF.
std::string_view take_line(std::string_view& text) {
  const size_t end = text.find_first_of("\r\n");
  const std::string_view line = text.substr(0, end);
  if (end == std::string_view::npos) {
    text = {};
    return line;
  }
  text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  return line;
}

// A last line end stands for an empty line behind it.
void append_lines(std::string& out, std::string_view field, std::string_view text) {
  bool more = true;
  while (more) {
    const size_t before = text.size();
    const std::string_view line = take_line(text);
    more = line.size() < before;
    out.append(field).append(": ").append(line) += '\n';
  }
}

}  // namespace

std::string encode_event(const Event& event) {
  constexpr size_t kRest = 64;  // the fields beside data, mostly
  std::string out;
  out.reserve(event.data.size() + kRest);
  if (event.id) {
    HELVE_CHECK(event.id->find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos);
    out.append("id: ").append(*event.id) += '\n';
  }
  if (event.retry) out.append("retry: ").append(std::to_string(event.retry->count())) += '\n';
  append_lines(out, "data", event.data);
  return out += '\n';
}

std::string encode_comment(std::string_view words) {
  std::string out;
  append_lines(out, "", words);
  return out += '\n';
}

}  // namespace helve::mcp
