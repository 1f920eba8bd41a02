#include <unordered_set>

#include "schema/detail/evaluator.h"
#include "schema/detail/numbers.h"

namespace helve::schema {
namespace {

struct HashValue {
  size_t operator()(const Json* value) const { return hash_value(*value); }
};
struct SameValue {
  bool operator()(const Json* a, const Json* b) const { return same_value(*a, *b); }
};

// The index of an item that has stood before, or the size.
size_t find_repeated(const JsonArray& items) {
  std::unordered_set<const Json*, HashValue, SameValue> met;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!met.insert(&items[i]).second) return i;
  }
  return items.size();
}

}  // namespace

bool Evaluator::arrays(const Frame& frame) {
  if (!frame.instance.is_array()) return true;
  const Node& node = frame.node;
  const JsonArray& items = frame.instance.get_array();
  bool valid = array_size(frame);
  const size_t end =
      node.items != nullptr ? items.size() : std::min(items.size(), node.prefix_items.size());
  for (size_t i = 0; i < end; ++i) {
    if (!valid && stops()) return false;
    const Node* schema = i < node.prefix_items.size() ? node.prefix_items[i] : node.items;
    const Place place{.up = &frame.place, .index = i, .in_array = true};
    valid = visit(*schema, items[i], place, frame.scope, nullptr) && valid;
    if (frame.seen != nullptr) frame.seen->mark(i);
  }
  if (!valid && stops()) return false;
  return (node.contains == nullptr || contains(frame)) && valid;
}

bool Evaluator::array_size(const Frame& frame) {
  const Node& node = frame.node;
  const JsonArray& items = frame.instance.get_array();
  const auto failed = [&](size_t limit, std::string_view keyword, std::string_view key) {
    return fail(frame, keyword, key,
                {{"limit", std::to_string(limit)}, {"found", std::to_string(items.size())}});
  };
  bool valid = true;
  if (items.size() < node.min_items) {
    valid = failed(node.min_items, "minItems", "schema.violation.min_items");
  }
  if (items.size() > node.max_items) {
    valid = failed(node.max_items, "maxItems", "schema.violation.max_items");
  }
  if (!node.unique_items) return valid;
  const size_t repeated = find_repeated(items);
  if (repeated == items.size()) return valid;
  return fail(frame, "uniqueItems", "schema.violation.unique_items",
              {{"index", std::to_string(repeated)}});
}

bool Evaluator::contains(const Frame& frame) {
  const Node& node = frame.node;
  const JsonArray& items = frame.instance.get_array();
  size_t matched = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const Place place{.up = &frame.place, .index = i, .in_array = true};
    const Frame item{node, items[i], place, frame.scope, nullptr};
    if (!quiet(node.contains, item)) continue;
    ++matched;
    if (frame.seen != nullptr) frame.seen->mark(i);
  }
  const auto failed = [&](size_t limit, std::string_view keyword, std::string_view key) {
    return fail(frame, keyword, key,
                {{"limit", std::to_string(limit)}, {"found", std::to_string(matched)}});
  };
  if (matched < node.min_contains) {
    return failed(node.min_contains, "contains", "schema.violation.contains");
  }
  if (matched > node.max_contains) {
    return failed(node.max_contains, "maxContains", "schema.violation.max_contains");
  }
  return true;
}

bool Evaluator::unevaluated(const Frame& frame) {
  const bool array = frame.instance.is_array();
  const Node* schema = array ? frame.node.unevaluated_items : frame.node.unevaluated_properties;
  if (schema == nullptr || (!array && !frame.instance.is_object())) return true;
  const std::string_view keyword = array ? "unevaluatedItems" : "unevaluatedProperties";
  const size_t count =
      array ? frame.instance.get_array().size() : frame.instance.get_object().size();
  bool valid = true;
  for (size_t i = 0; i < count; ++i) {
    if (frame.seen->has(i)) continue;
    if (!valid && stops()) return false;
    const auto* member = array ? nullptr : frame.instance.get_object().begin() + i;
    const Place place{.up = &frame.place,
                      .key = array ? std::string_view() : std::string_view(member->key()),
                      .index = i,
                      .in_array = array};
    if (!array && schema->kind == Node::Kind::kNever) {
      valid = unknown_member(frame, keyword, place, member->key());
    } else {
      const Json& value = array ? frame.instance.get_array()[i] : member->value();
      valid = visit(*schema, value, place, frame.scope, nullptr) && valid;
    }
  }
  frame.seen->mark_all();
  return valid;
}

}  // namespace helve::schema
