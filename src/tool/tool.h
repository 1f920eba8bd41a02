// tool/tool.h
//
// What a tool is: a row of name, texts, schema and annotations, and a coroutine that answers a
// Call. Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/refusal.h"
#include "base/time.h"

namespace helve::tool {

class Session;

// A flag that is raised once, by whoever cancels the call, with the grace that its cause gives
// (decisions, section 5). The tool hooks itself in and ends what it started.
class Cancellation {
 public:
  bool requested() const { return requested_; }
  Duration grace() const { return grace_; }
  void request(Duration grace);
  // `react` runs at once if already requested. One listener; empty unhooks.
  void on_request(std::function<void(Duration grace)> react);

 private:
  bool requested_ = false;
  Duration grace_{0};
  std::function<void(Duration)> react_;
};

struct Progress {
  double done = 0;
  std::optional<double> total;
  std::string message;
};

// What else an answer points at: a resource of this server.
struct Link {
  std::string uri, name, mime_type;
};

struct Answer {
  bool is_error = false;
  std::string text;  // any bytes; faces make it valid UTF-8
  std::optional<Json> structured;
  JsonObject meta;  // members of `_meta`, such as "io.helve/run"
  std::vector<Link> links;
  // Raw content blocks that go behind the text as they are (images, audio, embedded resources).
  JsonArray blocks;
};

struct Call {
  std::string tool;
  JsonObject arguments;  // coerced and valid
  Session& session;
  std::shared_ptr<Cancellation> cancellation;
  std::function<void(Progress)> progress;  // never empty; does nothing where nobody asked
};

struct Annotations {
  std::string title;
  bool read_only = false, destructive = true, idempotent = false, open_world = true;
};

struct Tool {
  std::string name;  // ^[a-zA-Z0-9_-]{1,48}$
  std::string description;
  Json input;  // JSON Schema, root "type": "object"
  std::optional<Json> output;
  Annotations annotations;
  std::function<boost::asio::awaitable<Result<Answer>>(Call&)> run;
  // Reads arguments that the schema, made for hosts, is too narrow for: digits beyond 64 bits as
  // text, arrays of any scalars. Empty: the schema decides alone.
  std::function<Result<JsonObject>(const JsonObject&)> read;
  std::vector<std::string> secret;  // arguments whose values no refusal repeats
  // How to get what an answer had to leave out, as half a sentence: "read on with `offset`". Used
  // where the answer has no link; empty for the general advice.
  std::string rest_hint;
};

// Read-only things with a URI that a server offers beside its tools, such as run reports.
struct Resource {
  std::string uri, name, title, description, mime_type;
};
struct ResourceTemplate {
  std::string uri_template, name, description, mime_type;
};
struct ResourceBody {
  std::string mime_type, text;
};
struct ResourceProvider {
  std::string prefix;  // "helve://runs/"
  std::function<std::vector<Resource>(Session&)> list;
  std::vector<ResourceTemplate> templates;
  // Refused: resource.not_found {uri}.
  std::function<Result<ResourceBody>(Session&, const std::string& uri)> read;
};

}  // namespace helve::tool
