// mcp/testing/web.h
//
// Tests only: an HttpFace without sockets. What a client would see of each answer is kept.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mcp/http.h"
#include "mcp/testing/client.h"

namespace helve::mcp::testing {

struct Seen : http::Exchange {
  http::Request asked;
  std::optional<http::Response> head;  // of the answer
  std::string body;
  bool streamed = false, finished = false;
  size_t waiting = 0;
  std::function<void()> gone;

  http::Request& request() override { return asked; }
  void respond(http::Response response) override {
    HELVE_CHECK(!head);
    body = response.body;
    head = std::move(response);
    finished = true;
  }
  void stream(http::Response response) override {
    HELVE_CHECK(!head);
    body = response.body;
    head = std::move(response);
    streamed = true;
  }
  void write(std::string piece) override {
    HELVE_CHECK(streamed && !finished);
    body += piece;
  }
  void finish() override {
    HELVE_CHECK(streamed && !finished);
    finished = true;
  }
  size_t waiting_bytes() const override { return waiting; }
  void on_gone(std::function<void()> react) override { gone = std::move(react); }

  std::string header(std::string_view name) const {
    return head ? std::string(head->headers.find(name).value_or("")) : "";
  }
  unsigned status() const { return head ? head->status : 0; }
};

struct SeenEvent {
  std::string id, data;
};

// The events of a stream; comments are ":".
inline std::vector<SeenEvent> events_of(const Seen& seen) {
  std::vector<SeenEvent> events;
  SeenEvent event;
  bool any = false;
  for (const std::string_view line : split(seen.body, '\n')) {
    if (line.empty() && any) events.push_back(std::exchange(event, {}));
    any = !line.empty();
    if (line.starts_with("id: ")) event.id = line.substr(4);
    if (line.starts_with("data: ")) event.data = line.substr(6);
    if (line.starts_with(":")) event.data = ":";
  }
  return events;
}

// "1 ok" for an answer, "1 -32601 mcp.method_unknown" for an error, the method for anything else.
inline std::string said(std::string_view message) {
  const auto value = parse_json(message);
  if (!value) return std::string(message);
  if (const auto method = find_text(*value, "method")) return std::string(*method);
  return outcome(message);
}

// "200 1 ok"; for a stream "200 stream: notifications/progress, 1 ok, end". What ended without a
// word is "202".
inline std::string describe(const Seen& seen) {
  if (!seen.head) return "waits";
  std::string out = std::to_string(seen.status());
  if (!seen.streamed) return seen.body.empty() ? out : out + ' ' + said(seen.body);
  std::vector<std::string> parts;
  for (const SeenEvent& event : events_of(seen)) {
    parts.push_back(event.data.empty() ? "first" : said(event.data));
  }
  if (seen.finished) parts.emplace_back("end");
  return out + " stream: " + join(parts, ", ");
}

inline constexpr std::string_view kModernHeaders = "MCP-Protocol-Version: 2026-07-28\n";

class Web {
 public:
  explicit Web(std::vector<tool::Tool> tools = {}, HttpOptions options = {})
      : server(registry, {"test", "1", "root: /r"}),
        face(std::make_unique<HttpFace>(loop, server, sessions, std::move(options))) {
    for (tool::Tool& tool : tools) HELVE_CHECK(registry.add(std::move(tool)));
  }

  // `headers` are lines that come on top of those that each request has: "Name: value" in place of
  // one, "+Name: value" beside it, "Name" for none. $S is the session.
  std::shared_ptr<Seen> send(const std::string& method, std::string_view headers = "",
                             std::string body = "", const std::string& path = "/mcp") {
    const auto seen = std::make_shared<Seen>();
    seen->asked = {.method = method, .path = path, .headers = headers_of(method, headers)};
    if (auto refused = face->admit(seen->asked)) {
      seen->respond(*std::move(refused));
      return seen;
    }
    seen->asked.body = std::move(body);
    face->handle(seen);
    turn();
    return seen;
  }
  std::shared_ptr<Seen> post(std::string_view headers, std::string body) {
    return send("POST", headers, std::move(body));
  }
  // A modern request with the headers that it wants.
  std::shared_ptr<Seen> ask(const std::string& id, const std::string& method,
                            const std::string& params = "", const std::string& headers = "") {
    std::string all = std::string(kModernHeaders) + "Mcp-Method: " + method + "\n";
    const auto named = parse_json("{" + params + "}");
    const auto name = named ? find_text(*named, "name") : std::nullopt;
    if (name) all += "Mcp-Name: " + std::string(*name) + "\n";
    return post(all + headers, modern(id, method, params));
  }

  // A handshake; the session's id is `session` afterwards.
  std::shared_ptr<Seen> begin(const std::string& revision = "2025-11-25",
                              const std::string& capabilities = "{}",
                              std::string_view headers = "") {
    auto seen = post(headers, R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
                              R"({"protocolVersion":")" +
                                  revision + R"(","capabilities":)" + capabilities + "}}");
    session = seen->header("Mcp-Session-Id");
    return seen;
  }
  std::shared_ptr<Seen> in_session(std::string body, const std::string& headers = "") {
    return post("Mcp-Session-Id: $S\n" + headers, std::move(body));
  }

  void turn() {
    loop.context().restart();
    loop.context().poll();
  }
  void run_for(Duration time) {
    loop.context().restart();
    loop.context().run_for(time);
  }
  // The client of `seen` goes away.
  void leave(Seen& seen) {
    if (seen.gone) std::exchange(seen.gone, nullptr)();
    turn();
  }

  os::Loop loop;
  tool::Registry registry;
  Server server;
  tool::Sessions sessions;
  std::unique_ptr<HttpFace> face;
  std::string session;

 private:
  http::Headers headers_of(const std::string& method, std::string_view more) const {
    http::Headers headers{{"Host", "localhost:7717"},
                          {"Accept", "application/json, text/event-stream"}};
    if (method == "POST") headers.add("Content-Type", "application/json");
    for (const std::string_view line : split(more, '\n')) {
      if (!line.empty()) apply(headers, line);
    }
    return headers;
  }
  void apply(http::Headers& headers, std::string_view line) const {
    const size_t colon = line.find(": ");
    std::string value(colon == std::string_view::npos ? "" : line.substr(colon + 2));
    if (value == "$S") value = session;
    const bool beside = line.starts_with('+');
    std::string name(line.substr(0, colon).substr(beside ? 1 : 0));
    if (beside) return headers.add(std::move(name), std::move(value));
    if (colon != std::string_view::npos) return headers.set(std::move(name), std::move(value));
    http::Headers kept;
    for (const http::Header& header : headers.all()) {
      if (header.name != name) kept.add(header.name, header.value);
    }
    headers = std::move(kept);
  }
};

}  // namespace helve::mcp::testing
