#include <algorithm>

#include "base/text.h"
#include "schema/detail/evaluator.h"

namespace helve::schema {

bool Evaluator::objects(const Frame& frame) {
  if (!frame.instance.is_object()) return true;
  const JsonObject& object = frame.instance.get_object();
  bool valid = object_size(frame);
  for (const std::string_view name : frame.node.required) {
    if (!valid && stops()) return false;
    if (object.contains(name)) continue;
    valid = fail(frame, "required", "schema.violation.required", {{"name", std::string(name)}});
  }
  size_t index = 0;
  for (const auto& one : object) {
    if (!valid && stops()) return false;
    valid = member(frame, index++, one.key(), one.value()) && valid;
  }
  if (!valid && stops()) return false;
  return dependents(frame) && valid;
}

bool Evaluator::object_size(const Frame& frame) {
  const Node& node = frame.node;
  const size_t size = frame.instance.get_object().size();
  const auto failed = [&](size_t limit, std::string_view keyword, std::string_view key) {
    return fail(frame, keyword, key,
                {{"limit", std::to_string(limit)}, {"found", std::to_string(size)}});
  };
  if (size < node.min_properties) {
    return failed(node.min_properties, "minProperties", "schema.violation.min_properties");
  }
  if (size > node.max_properties) {
    return failed(node.max_properties, "maxProperties", "schema.violation.max_properties");
  }
  return true;
}

bool Evaluator::member(const Frame& frame, size_t index, std::string_view key, const Json& value) {
  const Node& node = frame.node;
  const Place place{.up = &frame.place, .key = key};
  bool valid = true;
  bool known = false;
  if (node.property_names != nullptr) {
    valid = visit(*node.property_names, Json(key), place, frame.scope, nullptr);
  }
  if (const auto property = node.properties.find(key); property != node.properties.end()) {
    known = true;
    valid = visit(*property->second, value, place, frame.scope, nullptr) && valid;
  }
  for (const auto& [pattern, schema] : node.pattern_properties) {
    if (!valid && stops()) return false;
    if (!matches(frame, *pattern, key)) continue;
    known = true;
    valid = visit(*schema, value, place, frame.scope, nullptr) && valid;
  }
  if (!known && node.additional_properties != nullptr) {
    known = true;
    valid = (node.additional_properties->kind == Node::Kind::kNever
                 ? unknown_member(frame, "additionalProperties", place, key)
                 : visit(*node.additional_properties, value, place, frame.scope, nullptr)) &&
            valid;
  }
  if (known && frame.seen != nullptr) frame.seen->mark(index);
  return valid;
}

bool Evaluator::unknown_member(const Frame& frame, std::string_view keyword, const Place& place,
                               std::string_view key) {
  if (violations_ == nullptr) return false;
  std::vector<std::string_view> known;
  for (const auto& [name, _] : frame.node.properties) known.push_back(name);
  std::sort(known.begin(), known.end());
  const Frame at{frame.node, frame.instance, place, frame.scope, nullptr};
  const std::string_view near = closest(key, known);
  if (!near.empty()) {
    return fail(at, keyword, "schema.violation.unknown_near",
                {{"name", std::string(key)}, {"near", std::string(near)}});
  }
  if (known.empty()) {
    return fail(at, keyword, "schema.violation.unknown", {{"name", std::string(key)}});
  }
  constexpr size_t kListed = 20;
  std::vector<std::string> listed(
      known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kListed)));
  if (known.size() > kListed) listed.emplace_back("…");
  return fail(at, keyword, "schema.violation.unknown_known",
              {{"name", std::string(key)}, {"known", join(listed, ", ")}});
}

bool Evaluator::dependents(const Frame& frame) {
  const JsonObject& object = frame.instance.get_object();
  bool valid = true;
  for (const auto& [name, wanted] : frame.node.dependent_required) {
    if (!object.contains(name)) continue;
    for (const std::string_view other : wanted) {
      if (object.contains(other)) continue;
      valid = fail(frame, "dependentRequired", "schema.violation.dependent_required",
                   {{"name", std::string(other)}, {"other", std::string(name)}});
    }
  }
  for (const auto& [name, schema] : frame.node.dependent_schemas) {
    if (!valid && stops()) return false;
    if (object.contains(name)) valid = same(schema, frame) && valid;
  }
  return valid;
}

}  // namespace helve::schema
