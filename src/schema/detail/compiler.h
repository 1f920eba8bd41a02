// schema/detail/compiler.h
//
// Turns the document of a Program into its nodes: compile.cpp walks and registers, keywords.cpp
// reads one keyword each, references.cpp resolves `$ref` at the end. Lives for one compilation.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/refusal.h"
#include "schema/detail/program.h"

namespace helve::schema {

class Compiler {
 public:
  explicit Compiler(Program& program) : program_(program) {}
  Result<void> run();

  // For the readers of keywords: the subschema at `value`, compiled once.
  Result<const Node*> node_at(const Json& value, const std::string& pointer,
                              const SchemaResource* resource);
  Result<const Pattern*> pattern_at(std::string_view source, const std::string& pointer);
  void refer(Node& node, std::string_view reference, bool dynamic);

 private:
  struct Pending {
    Node* node;
    std::string reference;
    bool dynamic;
  };
  Result<void> identify(Node& node, const JsonObject& object, const Json& value);
  Result<void> add_anchor(Node& node, const JsonObject& object, bool dynamic);
  Result<void> resolve(const Pending& pending);
  Result<const Node*> find_target(SchemaResource& resource, const Pending& pending,
                                  std::string_view fragment);
  Result<const Node*> follow_pointer(SchemaResource& resource, const Pending& pending,
                                     std::string_view pointer);

  Program& program_;
  std::unordered_map<const Json*, Node*> known_;
  std::vector<Pending> pending_;
  size_t depth_ = 0;
};

// One keyword of the schema object that `node` stands for.
struct Keyword {
  std::string_view name;
  const Json& value;
  std::string pointer;  // of the value
};

// Reads it into the node; a keyword that asserts nothing is ignored.
Result<void> read_keyword(Compiler& compiler, Node& node, const Keyword& keyword);

// schema.invalid {pointer, reason}; the reason is a sentence of the text table.
std::unexpected<Refusal> invalid(const std::string& pointer, std::string reason);
std::unexpected<Refusal> bad_reference(const std::string& pointer, std::string_view reference);

}  // namespace helve::schema
