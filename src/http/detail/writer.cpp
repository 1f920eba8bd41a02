#include "http/detail/writer.h"

#include <algorithm>
#include <array>
#include <boost/beast/http/status.hpp>
#include <charconv>
#include <ctime>

#include "base/text.h"

namespace helve::http {
namespace {

std::string date_text(std::time_t at) {
  std::tm parts{};
  ::gmtime_r(&at, &parts);
  std::array<char, 40> out{};
  // Not of the locale: the program never sets one.
  const size_t size =
      std::strftime(out.data(), out.size(), "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
  return {out.data(), size};
}

const std::string& date_line() {
  static std::time_t at = 0;
  static std::string line;
  const std::time_t now = std::time(nullptr);
  if (now != at || line.empty()) {
    at = now;
    line = date_text(now);
  }
  return line;
}

bool is_ours(std::string_view name) {
  if (name.size() != 10 && name.size() != 14 && name.size() != 17) return false;
  const std::string lower = lower_ascii(name);
  return lower == "connection" || lower == "content-length" || lower == "transfer-encoding";
}

// A value that came from outside must not begin a line of its own.
void append_value(std::string& out, std::string_view value) {
  const size_t start = out.size();
  out += value;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(start), out.end(),
      [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
}

void append_headers(std::string& out, const Headers& headers) {
  for (const Header& header : headers.all()) {
    if (is_ours(header.name)) continue;
    append_value(out, header.name);
    out += ": ";
    append_value(out, header.value);
    out += "\r\n";
  }
}

}  // namespace

bool has_body(unsigned status) { return status >= 200 && status != 204 && status != 304; }

std::string write_head(const Response& response, const Shape& shape) {
  const auto reason =
      boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(response.status));
  std::string out;
  out.reserve(256);
  out += "HTTP/1.1 ";
  out += std::to_string(response.status);
  out += ' ';
  out.append(reason.data(), reason.size());
  out += "\r\n";
  append_headers(out, response.headers);
  out += date_line();
  if (shape.ending == Ending::kLength) {
    out += "Content-Length: " + std::to_string(shape.length) + "\r\n";
  }
  if (shape.ending == Ending::kChunked) out += "Transfer-Encoding: chunked\r\n";
  if (!shape.keep_alive) out += "Connection: close\r\n";
  if (shape.keep_alive && shape.http10) out += "Connection: keep-alive\r\n";
  out += "\r\n";
  return out;
}

std::string chunk_size(size_t size) {
  std::array<char, 20> digits{};
  char* end = std::to_chars(digits.data(), digits.data() + 16, size, 16).ptr;
  *end++ = '\r';
  *end++ = '\n';
  return {digits.data(), end};
}

}  // namespace helve::http
