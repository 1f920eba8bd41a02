// mcp/detail/http_marks.h
//
// Which arguments of a tool are repeated in Mcp-Param headers, looked up once for each tool as long
// as it is the same. Loop thread only.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "mcp/detail/header_rules.h"
#include "tool/registry.h"

namespace helve::mcp {

class ParamMarks {
 public:
  // Holds the headers against the arguments of a tools/call.
  Checked check(const tool::Registry& registry, const http::Headers& headers,
                const JsonObject& params);

 private:
  struct Known {
    std::weak_ptr<const tool::Tool> tool;
    std::vector<ParamHeader> marks;
  };
  const std::vector<ParamHeader>& marks_of(const std::shared_ptr<const tool::Tool>& tool);

  std::unordered_map<const tool::Tool*, Known> known_;
};

}  // namespace helve::mcp
