// Requests to the HTTP face, as they may come: "METHOD PATH", headers a line, an empty line, the
// body; a line of dashes is between two of them, $S stands for the last session, and "gone" in
// place of a request is a client that goes away. Every answer is one whole answer with a known
// status, each message in it is JSON-RPC, and nothing is left open at the end.
#include <array>

#include "mcp/testing/web.h"

namespace {

using namespace helve;
using mcp::testing::Seen;
using mcp::testing::Web;

constexpr std::array<unsigned, 15> kStatuses = {200, 202, 204, 400, 401, 403, 404, 405,
                                                406, 409, 415, 500, 503, 413, 431};

void check_message(const Json& message) {
  if (message.is_array()) {
    for (const Json& item : message.get_array()) check_message(item);
    return;
  }
  HELVE_CHECK(find_text(message, "jsonrpc") == "2.0");
  const bool answer = find(message, "result") != nullptr || find(message, "error") != nullptr;
  HELVE_CHECK(answer != (find(message, "method") != nullptr));
}

void check_text(std::string_view text) {
  const auto value = parse_json(text);
  HELVE_CHECK(value && is_utf8(text));
  check_message(*value);
}

void check(const Seen& seen) {
  if (!seen.head) return;
  HELVE_CHECK(std::ranges::find(kStatuses, seen.status()) != kStatuses.end());
  HELVE_CHECK(seen.header("Vary") == "Origin");
  for (const http::Header& header : seen.head->headers.all()) {
    HELVE_CHECK(header.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
  }
  if (!seen.streamed) {
    if (!seen.body.empty()) check_text(seen.body);
    return;
  }
  for (const auto& event : mcp::testing::events_of(seen)) {
    if (!event.data.empty() && event.data != ":") check_text(event.data);
  }
}

void send(Web& web, std::vector<std::shared_ptr<Seen>>& all, std::string_view request) {
  if (request == "gone") {
    if (!all.empty()) web.leave(*all.back());
    return;
  }
  const size_t line = request.find('\n');
  const size_t head = request.find("\n\n");
  const std::string_view first = request.substr(0, line);
  const size_t blank = first.find(' ');
  std::string_view headers;
  if (line < head)
    headers = request.substr(line + 1, head == std::string_view::npos ? head : head - line - 1);
  const std::string body(head == std::string_view::npos ? "" : request.substr(head + 2));
  const std::string path(blank == std::string_view::npos ? "/mcp" : first.substr(blank + 1));
  all.push_back(web.send(std::string(first.substr(0, blank)), headers, body, path));
  const std::string session = all.back()->header("Mcp-Session-Id");
  if (!session.empty()) web.session = session;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  Web web({mcp::testing::echo(), mcp::testing::patient()});
  std::vector<std::shared_ptr<Seen>> all;
  constexpr std::string_view kBetween = "\n---\n";
  for (size_t end = 0; end != std::string_view::npos && all.size() < 16;) {
    end = input.find(kBetween);
    send(web, all, input.substr(0, end));
    if (end != std::string_view::npos) input.remove_prefix(end + kBetween.size());
  }
  web.face->end();
  web.turn();
  for (const auto& seen : all) {
    check(*seen);
    HELVE_CHECK(seen->finished || !seen->head || seen.use_count() == 1);
  }
  return 0;
}
