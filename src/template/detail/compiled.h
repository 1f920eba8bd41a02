// template/detail/compiled.h
//
// A compiled template: nodes whose texts are lists of pieces, names replaced by slots. Built by
// detail/compiler.h, walked by detail/expander.h, immutable in between. Plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "template/detail/expression.h"
#include "template/template.h"

namespace helve::tmpl {

using Slot = std::uint32_t;  // a name's place in Tree::names

// A stretch of literal text, or one placeholder.
struct Piece {
  enum class Kind : std::uint8_t { kText, kName, kFallback, kConditional, kItem, kArithmetic };
  struct Extra {
    std::string second;  // kConditional: the text for no
    std::optional<Json> inline_default;
    bool index_is_name = false;  // kItem
    Slot index_slot = 0;         // kItem: of that name
    std::uint64_t index = 0;     // kItem: else this, saturated
    std::string digits;          // kItem: as written
    Expression expression;
    std::array<Slot, 4> operands = {};  // kArithmetic: slots of the generated names
    std::string source;                 // labels: as written
  };
  Kind kind = Kind::kText;
  bool negated = false;
  Slot slot = 0;
  std::string text;  // the literal, the fallback, the text for yes
  std::unique_ptr<Extra> extra;
};
using Pieces = std::vector<Piece>;

inline bool is_single_placeholder(const Pieces& pieces) {
  return pieces.size() == 1 && pieces.front().kind != Piece::Kind::kText;
}

struct CompiledWord {
  Pieces pieces;
  bool droppable = false;  // CT-33
  std::string source;      // as written, for errors
  size_t offset = 0;
};

struct Default {
  Slot slot = 0;
  Json value;          // literal: in the form of its type
  Pieces pieces;       // else: what to resolve
  size_t place = 0;    // while compiling: where it stands
  bool early = false;  // exactly `{n}` or `{n[i]}`, no sibling meant (CT-53, CT-54)
};

struct When {
  enum class Kind : std::uint8_t { kAlways, kNever, kFlag, kPlaceholder };
  Kind kind = Kind::kAlways;
  bool negated = false;
  Pieces pieces;  // one; of a flag its name
};

struct Repeat {
  std::int64_t count = 0;  // literal, or
  bool by_length = false;  // the length of an array
  Slot array = 0;
};

// A numeric control: nanoseconds, or attempts; absent where neither is set.
struct Control {
  std::optional<std::int64_t> value;
  Pieces pieces;
};

struct Node {
  enum class Body : std::uint8_t { kLeaf, kArray, kObject };
  Body body = Body::kLeaf;
  bool as_object = false;  // its members have pointers of their own
  bool parallel = false;
  std::string pointer;
  std::vector<CompiledWord> words;
  std::vector<Node> children;  // kObject: one
  std::vector<Default> defaults;
  When when;
  std::optional<Repeat> repeat;
  Control timeout, delay, retry;
  std::optional<Failure> failure;
  std::unique_ptr<Node> recover;
  Pieces label, output;  // output: empty for stdout

  std::string member(std::string_view name) const;  // the member's JSON pointer
  bool joins() const { return parallel && body == Body::kArray; }
};

struct Name {
  std::string text;
  bool generated = false;  // inside an instance, `as` tells which
  GeneratedName as;
  Type type;           // declared or inline; string if there is none
  bool typed = false;  // a type was written down
};

struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};
using NameIndex = std::unordered_map<std::string, Slot, NameHash, std::equal_to<>>;

struct Tree {
  Limits limits;
  bool drop_empty_words = false;
  std::vector<Name> names;
  NameIndex slots;
  Node root;
  std::vector<Argument> arguments;
  std::vector<Finding> findings;
  std::vector<std::string> risks;

  std::vector<bool> is_argument;  // by slot

  std::optional<Slot> find(std::string_view name) const;
};

// The first error, in source order.
Result<Tree> compile_tree(const Json& source, const Options& options);

// A refused value: names the argument, the expected form and the shape of a call; never the value.
std::unexpected<Refusal> invalid_value(const Tree& tree, std::string_view name, const Type& type);
std::unexpected<Refusal> unknown_value(const Tree& tree, std::string_view name);

}  // namespace helve::tmpl
