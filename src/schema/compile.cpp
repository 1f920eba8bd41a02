#include <algorithm>

#include "base/texts.h"
#include "schema/detail/compiler.h"
#include "schema/detail/uri.h"

namespace helve::schema {
namespace {

constexpr size_t kMaxDepth = 128;  // subschemas within each other

}  // namespace

std::unexpected<Refusal> invalid(const std::string& pointer, std::string reason) {
  return refuse("schema.invalid", {{"pointer", pointer}, {"reason", std::move(reason)}});
}

Result<void> compile_program(Program& program) { return Compiler(program).run(); }

Result<void> Compiler::run() {
  SchemaResource& base = program_.resources.emplace_back();
  base.root = &program_.document;
  const auto root = node_at(program_.document, "", &base);
  if (!root) return std::unexpected(root.error());
  program_.root = *root;
  while (!pending_.empty()) {  // a target may be a new node with references of its own
    const Pending next = std::move(pending_.back());
    pending_.pop_back();
    if (auto done = resolve(next); !done) return done;
  }
  return {};
}

Result<const Node*> Compiler::node_at(const Json& value, const std::string& pointer,
                                      const SchemaResource* resource) {
  if (const auto known = known_.find(&value); known != known_.end()) return known->second;
  if (depth_ >= kMaxDepth) return refuse("schema.too_deep", {{"limit", std::to_string(kMaxDepth)}});
  if (!value.is_bool() && !value.is_object()) {
    return invalid(pointer, text("schema.reason.schema"));
  }
  Node& node = program_.nodes.emplace_back();
  known_.emplace(&value, &node);
  node.pointer = pointer;
  node.resource = resource;
  if (value.is_bool()) {
    node.kind = value.get_bool() ? Node::Kind::kAlways : Node::Kind::kNever;
    return &node;
  }
  if (auto done = identify(node, value.get_object(), value); !done) {
    return std::unexpected(done.error());
  }
  ++depth_;
  for (const auto& member : value.get_object()) {
    const Keyword keyword{member.key(), member.value(), pointer_to(pointer, member.key())};
    if (auto done = read_keyword(*this, node, keyword); !done) {
      return std::unexpected(done.error());
    }
  }
  --depth_;
  return &node;
}

Result<void> Compiler::identify(Node& node, const JsonObject& object, const Json& value) {
  if (const Json* id = find(object, "$id"); id != nullptr) {
    const std::string pointer = pointer_to(node.pointer, "$id");
    if (!id->is_string()) return invalid(pointer, text("schema.reason.text"));
    const auto [uri, fragment] = split_fragment(as_text(*id));
    if (!fragment.empty()) return invalid(pointer, text("schema.reason.id_fragment"));
    const std::string full = resolve_uri(node.resource->uri, uri);
    const bool root = &value == &program_.document;
    const bool taken = std::any_of(program_.resources.begin(), program_.resources.end(),
                                   [&](const auto& other) { return other.uri == full; });
    if (taken && !(root && full.empty())) return invalid(pointer, text("schema.reason.id_twice"));
    if (!root) program_.resources.emplace_back();
    SchemaResource& resource = program_.resources.back();
    resource.uri = full;
    resource.root = &value;
    resource.pointer = node.pointer;
    node.resource = &resource;
  }
  if (auto done = add_anchor(node, object, false); !done) return done;
  return add_anchor(node, object, true);
}

Result<void> Compiler::add_anchor(Node& node, const JsonObject& object, bool dynamic) {
  const std::string_view keyword = dynamic ? "$dynamicAnchor" : "$anchor";
  const Json* anchor = find(object, keyword);
  if (anchor == nullptr) return {};
  const std::string pointer = pointer_to(node.pointer, keyword);
  if (!anchor->is_string()) return invalid(pointer, text("schema.reason.text"));
  const auto owner = std::find_if(program_.resources.begin(), program_.resources.end(),
                                  [&](const auto& one) { return &one == node.resource; });
  const std::string name(as_text(*anchor));
  if (!owner->anchors.emplace(name, &node).second) {
    return invalid(pointer, text("schema.reason.anchor_twice"));
  }
  if (dynamic) owner->dynamic_anchors.emplace(name, &node);
  return {};
}

Result<const Pattern*> Compiler::pattern_at(std::string_view source, const std::string& pointer) {
  if (const auto known = program_.patterns.find(source); known != program_.patterns.end()) {
    return &known->second;
  }
  auto pattern = Pattern::compile(source);
  if (!pattern) {
    return refuse("schema.pattern", {{"pointer", pointer},
                                     {"pattern", std::string(source)},
                                     {"reason", std::move(pattern.error())}});
  }
  return &program_.patterns.emplace(std::string(source), *std::move(pattern)).first->second;
}

}  // namespace helve::schema
