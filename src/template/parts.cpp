#include "template/parts.h"

#include <limits>

#include "template/detail/compiled.h"
#include "template/detail/errors.h"
#include "template/detail/expander.h"

namespace helve::tmpl {
namespace {

constexpr size_t kUnbounded = std::numeric_limits<std::int32_t>::max();

JsonObject leaf_node(const LeafCase& leaf) {
  JsonObject node{{"template", leaf.text}};
  if (!leaf.args.is_null()) node.emplace("args", leaf.args);
  if (!leaf.defaults.is_null()) node.emplace("defaults", leaf.defaults);
  if (leaf.instance) node.emplace("repeat", leaf.instance->repeat);
  return node;
}

Json in_outer_nodes(const LeafCase& leaf) {
  Json node = leaf_node(leaf);
  for (auto outer = leaf.outer.rbegin(); outer != leaf.outer.rend(); ++outer) {
    JsonObject around{{"template", std::move(node)}};
    for (const std::string_view member : {"args", "defaults"}) {
      const Json* value = find(*outer, member);
      if (value != nullptr && !value->is_null()) around.emplace(member, *value);
    }
    node = std::move(around);
  }
  return node;
}

const Step& innermost(const Step& step) {
  const Step* at = &step;
  while (!at->children.empty()) at = &at->children.front();
  return *at;
}

}  // namespace

Result<Leaf> expand_leaf(const LeafCase& leaf) {
  Options options;
  options.limits.nodes = kUnbounded;
  options.limits.depth += leaf.outer.size();
  const Result<Tree> tree = compile_tree(in_outer_nodes(leaf), options);
  if (!tree) return std::unexpected(tree.error());
  const Place place{.cwd = leaf.cwd, .home = leaf.home};
  Expander expander(*tree, place);
  if (leaf.instance) expander.keep_only(leaf.instance->index);
  Result<Plan> plan = expander.run(leaf.values);
  if (!plan) return std::unexpected(plan.error());
  const Step& step = innermost(plan->root);
  return Leaf{.argv = step.argv, .program = step.program};
}

Result<std::string> replace_text(std::string_view text, Instance instance,
                                 const JsonObject& values) {
  std::string command = "text '";
  for (const char c : text) {
    if (c == '\'') {
      command += R"('\'')";
    } else {
      command += c;
    }
  }
  Result<Leaf> leaf = expand_leaf({.text = command + '\'', .instance = instance, .values = values});
  if (!leaf) return std::unexpected(leaf.error());
  return leaf->argv.at(1);
}

Result<std::int64_t> repeat_count(const Json& repeat, const JsonObject& values) {
  Options options;
  options.limits.nodes = kUnbounded;
  const Result<Tree> tree =
      compile_tree(JsonObject{{"template", "text"}, {"repeat", repeat}}, options);
  if (!tree) return std::unexpected(tree.error());
  return Expander(*tree, Place{}).root_count(values);
}

}  // namespace helve::tmpl
