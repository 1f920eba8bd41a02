// tool/registry.h
//
// The tools and resources that a face offers, and the one way to call a tool: coerce (R9),
// validate, run, bound (decisions, section 4). Filled at start; then loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"
#include "tool/session.h"
#include "tool/tool.h"

namespace helve::tool {

class Registry {
 public:
  // Refused: tool.name_invalid {name}, tool.name_taken {name}, tool.schema_invalid and
  // tool.schema_not_portable {name, pointer, reason} (R7, R8).
  Result<void> add(Tool tool);
  void add(ResourceProvider provider);

  const std::vector<Tool>& tools() const { return tools_; }  // in order of adding
  const Tool* find(std::string_view name) const;  // null if there is none; valid until add()
  const std::vector<ResourceProvider>& resources() const { return resources_; }

  // Always an answer: a refusal is rendered into it (isError, `io.helve/refusal`), and the encoded
  // answer is within `answer_limit` characters (R4). An unknown tool is tool.unknown {tool}.
  // `arguments` as the host sent them: an object, the text of one, or null for none (R9). The
  // registry, the session and the tool outlive the call.
  boost::asio::awaitable<Answer> call(Session& session, std::string name, Json arguments,
                                      std::shared_ptr<Cancellation> cancellation,
                                      std::function<void(Progress)> progress);

  size_t answer_limit = 40'000;  // UTF-16 units, as hosts count

 private:
  struct Row {
    size_t index;  // into tools_
    schema::Schema input;
    std::optional<schema::Schema> output;
  };

  std::vector<Tool> tools_;
  std::map<std::string, Row, std::less<>> rows_;
  std::vector<ResourceProvider> resources_;
};

// A refusal as every face answers it (decisions, section 4).
Answer refusal_answer(const Refusal& refusal);

}  // namespace helve::tool
