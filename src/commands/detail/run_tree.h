// commands/detail/run_tree.h
//
// The steps of a report, put back into the tree that their paths describe; for the HTML page.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace helve::commands {

struct RunNode {
  std::string name;   // the last part of the path
  std::string label;  // of a group that has one
  std::string path;
  double start_ms = 0, end_ms = 0;
  std::string status;              // of a group: the worst of its children, degraded if mixed
  const Json* branches = nullptr;  // the report's entry, where the node is a parallel one
  std::vector<const Json*> runs;   // attempts of a leaf, in order
  std::deque<RunNode> children;    // in order of starting

  bool is_group() const { return !children.empty(); }
};

RunNode run_tree(const Json& report);

}  // namespace helve::commands
