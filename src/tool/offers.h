// tool/offers.h
//
// What a server offers beside its tools: prompts, and read-only things with a URI such as run
// reports. Loop thread only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tool/tool.h"

namespace helve::tool {

struct PromptArgument {
  std::string name, description;
  bool required = false;
  std::vector<std::string> values;  // what completion offers; empty: anything goes
};

// Messages as the protocol has them: {"role", "content"}.
struct PromptAnswer {
  std::string description;
  JsonArray messages;
  std::optional<Needs> needs;  // as for Answer
};

struct Prompt {
  std::string name;  // as a tool's
  std::string title, description;
  std::vector<PromptArgument> arguments;
  // One of the two. `get`: the arguments of the call are texts; the required ones are there, and no
  // other. `source`: a tool with the same arguments, whose text is the prompt's.
  std::function<boost::asio::awaitable<Result<PromptAnswer>>(Call&)> get;
  std::shared_ptr<const Tool> source;
};

struct Resource {
  std::string uri, name, title, description, mime_type;
};
struct ResourceTemplate {
  std::string uri_template, name, description, mime_type;
  // The values of a variable of the template that completion offers; may be empty.
  std::function<std::vector<std::string>(Session&, std::string_view variable)> values;
};
struct ResourceBody {
  std::string mime_type;
  std::string text;  // the bytes of it, if `binary`
  bool binary = false;
};
struct ResourceProvider {
  std::string prefix;  // "helve://runs/"
  std::function<std::vector<Resource>(Session&)> list;
  std::vector<ResourceTemplate> templates;
  // Refused: resource.not_found {uri}.
  std::function<Result<ResourceBody>(Session&, const std::string& uri)> read;
};

}  // namespace helve::tool
