#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "schema/detail/compiler.h"
#include "schema/detail/uri.h"

namespace helve::schema {
namespace {

std::string unescape(std::string_view part) {
  std::string out;
  for (size_t i = 0; i < part.size(); ++i) {
    const bool escaped =
        part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1');
    out += !escaped ? part[i] : part[i + 1] == '0' ? '~' : '/';
    if (escaped) ++i;
  }
  return out;
}

const Json* step_into(const Json& value, const std::string& name) {
  if (value.is_object()) return find(value, name);
  if (!value.is_array()) return nullptr;
  size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool plain = error == std::errc() && end == name.data() + name.size() &&
                     (name.size() == 1 || name[0] != '0');
  return plain ? value.get_array().if_contains(index) : nullptr;
}

}  // namespace

std::unexpected<Refusal> bad_reference(const std::string& pointer, std::string_view reference) {
  return refuse("schema.reference", {{"pointer", pointer}, {"reference", std::string(reference)}});
}

void Compiler::refer(Node& node, std::string_view reference, bool dynamic) {
  pending_.push_back({&node, std::string(reference), dynamic});
  program_.dynamic = program_.dynamic || dynamic;
}

Result<void> Compiler::resolve(const Pending& pending) {
  const std::string full = resolve_uri(pending.node->resource->uri, pending.reference);
  const auto [uri, escaped] = split_fragment(full);
  const auto resource = std::find_if(program_.resources.begin(), program_.resources.end(),
                                     [&](const SchemaResource& one) { return one.uri == uri; });
  if (resource == program_.resources.end()) {  // outside the document: never fetched
    return bad_reference(pending.node->pointer, pending.reference);
  }
  const std::string fragment = percent_decode(escaped);
  const auto target = find_target(*resource, pending, fragment);
  if (!target) return std::unexpected(target.error());
  if (!pending.dynamic) {
    pending.node->reference = *target;
    return {};
  }
  pending.node->dynamic_reference = *target;
  if (resource->dynamic_anchors.contains(fragment)) pending.node->dynamic_anchor = fragment;
  return {};
}

Result<const Node*> Compiler::find_target(SchemaResource& resource, const Pending& pending,
                                          std::string_view fragment) {
  if (fragment.empty() || fragment.front() == '/') {
    return follow_pointer(resource, pending, fragment);
  }
  const auto anchor = resource.anchors.find(fragment);
  if (anchor == resource.anchors.end()) {
    return bad_reference(pending.node->pointer, pending.reference);
  }
  return anchor->second;
}

Result<const Node*> Compiler::follow_pointer(SchemaResource& resource, const Pending& pending,
                                             std::string_view pointer) {
  const Json* value = resource.root;
  std::string place = resource.pointer;
  const SchemaResource* current = &resource;
  if (!pointer.empty()) {
    for (const std::string_view part : split(pointer.substr(1), '/')) {
      const std::string name = unescape(part);
      value = step_into(*value, name);
      if (value == nullptr) return bad_reference(pending.node->pointer, pending.reference);
      place = pointer_to(place, name);
      const auto known = known_.find(value);
      if (known != known_.end()) current = known->second->resource;
    }
  }
  return node_at(*value, place, current);
}

}  // namespace helve::schema
