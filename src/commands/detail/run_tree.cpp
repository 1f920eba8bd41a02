#include "commands/detail/run_tree.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace helve::commands {
namespace {

double number(const Json& object, std::string_view key) {
  const Json* member = find(object, key);
  return member == nullptr ? 0 : member->to_number<double>();
}

// "template[1].template[0]#2" and a path of a repeat, "template[1]#2": each part is a node, and an
// instance is a child of the node that repeats.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  if (path.empty()) return parts;
  for (const std::string_view part : split(path, '.')) {
    const size_t hash = part.find('#');
    if (hash != 0) parts.emplace_back(part.substr(0, hash));
    if (hash == std::string_view::npos) continue;
    for (const std::string_view instance : split(part.substr(hash + 1), '#')) {
      parts.push_back("#" + std::string(instance));
    }
  }
  return parts;
}

class Builder {
 public:
  RunNode& at(std::string_view path) {
    RunNode* node = &root;
    std::string so_far;
    for (const std::string& part : parts_of(path)) {
      so_far += '.' + part;
      RunNode*& known = index_[so_far];
      if (known == nullptr) known = &node->children.emplace_back(RunNode{.name = part});
      node = known;
    }
    return *node;
  }

  RunNode root;

 private:
  std::map<std::string, RunNode*> index_;  // a deque does not move what it holds
};

std::string_view inside_brackets(std::string_view name) {
  const size_t open = name.find('[');
  return open == std::string_view::npos ? "" : name.substr(open + 1, name.find(']') - open - 1);
}

int severity(std::string_view status) {
  constexpr std::string_view kOrder[] = {"ok",        "skipped", "degraded",
                                         "cancelled", "failed",  "timed_out"};
  return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), status) -
                          std::begin(kOrder));
}

void settle(RunNode& node) {
  if (!node.runs.empty()) {
    node.start_ms = number(*node.runs.front(), "start_ms");
    node.end_ms = number(*node.runs.back(), "start_ms") + number(*node.runs.back(), "duration_ms");
    node.status = find_text(*node.runs.back(), "status").value_or("");
    if (node.label.empty()) node.label = find_text(*node.runs.back(), "label").value_or("");
  }
  bool any_ok = !node.runs.empty() && node.status == "ok";
  for (RunNode& child : node.children) {
    settle(child);
    const bool first = &child == &node.children.front() && node.runs.empty();
    node.start_ms = first ? child.start_ms : std::min(node.start_ms, child.start_ms);
    node.end_ms = first ? child.end_ms : std::max(node.end_ms, child.end_ms);
    any_ok |= child.status == "ok" || child.status == "degraded";
    if (first || severity(child.status) > severity(node.status)) node.status = child.status;
  }
  if (any_ok && node.is_group() && severity(node.status) > severity("degraded")) {
    node.status = "degraded";
  }
}

// A parallel node knows what its children are called, groups among them too.
void label_children(RunNode& node, const Json& parallel) {
  const Json* rows = find(parallel, "children");
  if (rows == nullptr || !rows->is_array()) return;
  for (RunNode& child : node.children) {
    if (!child.label.empty() || !child.runs.empty()) continue;
    const std::string_view digits = child.name.starts_with('#')
                                        ? std::string_view(child.name).substr(1)
                                        : inside_brackets(child.name);
    size_t index = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), index).ec != std::errc())
      continue;
    if (index < rows->get_array().size()) {
      child.label = find_text(rows->get_array()[index], "label").value_or("");
    }
  }
}

}  // namespace

RunNode run_tree(const Json& report) {
  Builder builder;
  if (const Json* steps = find(report, "steps"); steps != nullptr && steps->is_array()) {
    for (const Json& step : steps->get_array()) {
      RunNode& node = builder.at(find_text(step, "path").value_or(""));
      node.path = find_text(step, "path").value_or("");
      node.runs.push_back(&step);
    }
  }
  if (const Json* branches = find(report, "branches");
      branches != nullptr && branches->is_array()) {
    for (const Json& parallel : branches->get_array()) {
      RunNode& node = builder.at(find_text(parallel, "path").value_or(""));
      node.branches = &parallel;
      node.label = find_text(parallel, "label").value_or("");
      label_children(node, parallel);
    }
  }
  settle(builder.root);
  return std::move(builder.root);
}

}  // namespace helve::commands
