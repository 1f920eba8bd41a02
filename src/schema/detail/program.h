// schema/detail/program.h
//
// A schema document made ready: one Node per subschema, references resolved to pointers, property
// tables and patterns built. Everything points into the program's own copy of the document, which
// neither moves nor changes. Made by compile_program, read by Evaluator; any thread.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "schema/detail/pattern.h"

namespace helve::schema {

struct Node;

// A part of the document with its own `$id`; the root is one even without.
struct SchemaResource {
  std::string uri;  // absolute where the document gives one, without fragment
  const Json* root = nullptr;
  std::string pointer;  // of its root in the document
  std::map<std::string, const Node*, std::less<>> anchors;
  std::map<std::string, const Node*, std::less<>> dynamic_anchors;
};

// Bits of Node::types. A whole number has both kInteger and kNumber.
enum TypeBit : unsigned {
  kNull = 1,
  kBoolean = 2,
  kInteger = 4,
  kNumber = 8,
  kString = 16,
  kArray = 32,
  kObject = 64
};
unsigned type_bits(const Json& value);
unsigned type_bit(std::string_view name);  // 0 for a name that is no type

using Names = std::vector<std::string_view>;

struct Node {
  enum class Kind { kRules, kAlways, kNever };
  static constexpr size_t kUnbounded = static_cast<size_t>(-1);

  std::string pointer;
  const SchemaResource* resource = nullptr;
  Kind kind = Kind::kRules;

  unsigned types = 0;  // 0: any
  const Json* constant = nullptr;
  const JsonArray* enumeration = nullptr;
  const Json *minimum = nullptr, *maximum = nullptr, *exclusive_minimum = nullptr,
             *exclusive_maximum = nullptr, *multiple_of = nullptr;
  size_t min_length = 0, max_length = kUnbounded;
  const Pattern* pattern = nullptr;
  std::string_view pattern_source;

  std::vector<const Node*> prefix_items;
  const Node *items = nullptr, *contains = nullptr, *unevaluated_items = nullptr;
  size_t min_items = 0, max_items = kUnbounded, min_contains = 1, max_contains = kUnbounded;
  bool unique_items = false;

  std::unordered_map<std::string_view, const Node*> properties;
  std::vector<std::pair<const Pattern*, const Node*>> pattern_properties;
  const Node *additional_properties = nullptr, *property_names = nullptr,
             *unevaluated_properties = nullptr;
  size_t min_properties = 0, max_properties = kUnbounded;
  Names required;
  std::vector<std::pair<std::string_view, Names>> dependent_required;
  std::vector<std::pair<std::string_view, const Node*>> dependent_schemas;

  const Node *reference = nullptr, *dynamic_reference = nullptr;
  std::string dynamic_anchor;  // of $dynamicRef, if its first target is a $dynamicAnchor
  std::vector<const Node*> all_of, any_of, one_of;
  const Node *negation = nullptr, *condition = nullptr, *consequence = nullptr,
             *alternative = nullptr;
};

struct Program {
  Json document;
  std::deque<Node> nodes;  // stable addresses
  std::deque<SchemaResource> resources;
  std::map<std::string, Pattern, std::less<>> patterns;
  const Node* root = nullptr;
  bool dynamic = false;  // some $dynamicRef stands in it
};

// Fills `program`, whose document is set. As Schema::compile.
Result<void> compile_program(Program& program);

}  // namespace helve::schema
