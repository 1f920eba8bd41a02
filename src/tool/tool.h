// tool/tool.h
//
// What a tool is: a row of name, texts, schema and annotations, and a coroutine that answers a
// Call. Prompts and resources, which a server offers beside its tools, are in tool/offers.h. Loop
// thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/refusal.h"
#include "policy/permit.h"
#include "tool/cancellation.h"

namespace helve::tool {

class Session;

struct Progress {
  double done = 0;
  std::optional<double> total;
  std::string message;
};

// The levels of RFC 5424, least severe first.
enum class LogLevel { kDebug, kInfo, kNotice, kWarning, kError, kCritical, kAlert, kEmergency };
struct LogEntry {
  LogLevel level = LogLevel::kInfo;
  Json data;  // a text, mostly
};

// What else an answer points at: a resource of this server.
struct Link {
  std::string uri, name, mime_type;
};

// What the client can be asked for in the middle of a call.
struct Asks {
  bool form = false, url = false, sampling = false, roots = false;
};

// One question to the client, in the protocol's words: "elicitation/create" and its parameters. The
// key is the tool's own, and the client's result comes back under it.
struct InputRequest {
  std::string key, method;
  JsonObject params;
};

// What a call needs before it can go on. The same call comes again, with the client's results and
// with `state` as it was.
struct Needs {
  std::vector<InputRequest> requests;
  Json state = nullptr;
};

// What came back for an earlier Needs; empty in the first round. A client may leave out what it was
// asked for and send what it was not.
struct Round {
  JsonObject inputs;  // by key: for elicitation {"action", "content"}
  Json state = nullptr;
};

struct Answer {
  bool is_error = false;
  std::string text;  // any bytes; faces make it valid UTF-8
  std::optional<Json> structured;
  JsonObject meta;  // members of `_meta`, such as "io.helve/run"
  std::vector<Link> links;
  // Raw content blocks that go behind the text as they are (images, audio, embedded resources).
  JsonArray blocks;
  // Set: this is no answer yet, and nothing else of it counts.
  std::optional<Needs> needs;
};

struct Call {
  std::string tool;
  JsonObject arguments;  // coerced and valid
  Session& session;
  std::shared_ptr<Cancellation> cancellation;
  // Never empty; they do nothing where nobody asked.
  std::function<void(Progress)> progress;
  bool waits_long = false;  // somebody is told of progress, and so waits beyond 45 s (R6)
  std::function<void(LogEntry)> log;
  Round round;
  Asks can_ask;
  policy::Permit permit;  // what the policy lets it run
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
  // Arguments that it takes, shown where others were refused; null: made from `input`, which does
  // where that says all that must be there.
  Json example = nullptr;
  Annotations annotations;
  std::function<boost::asio::awaitable<Result<Answer>>(Call&)> run;
  // Reads arguments that the schema, made for hosts, is too narrow for: digits beyond 64 bits as
  // text, arrays of any scalars. Empty: the schema decides alone.
  std::function<Result<JsonObject>(const JsonObject&)> read;
  std::vector<std::string> secret;  // arguments whose values no refusal repeats
  // How to get what an answer had to leave out, as half a sentence: "read on with `offset`". Used
  // where the answer has no link; empty for the general advice.
  std::string rest_hint;

  bool deferred = false;              // callable, but found with tool_search instead of listed
  std::vector<std::string> keywords;  // words that tool_search finds it by, beside its texts

  bool job = false;     // goes on as a job when its call has waited long enough
  bool detach = false;  // that job outlives its session

  bool own = false;                 // the host's, not the owner's: asks only where told to by name
  std::vector<std::string> labels;  // risk labels, for the policy
  std::string digest;               // of what it does: an approval that is remembered holds for it
  // What the record of a call says that it was about (tool/call_record.h), of arguments that may
  // still be wrong; empty: nothing.
  std::function<std::string(const JsonObject&)> subject;
  // What exactly these arguments would run, for the person who is asked.
  std::function<Result<std::string>(const JsonObject&)> preview;
};

}  // namespace helve::tool
