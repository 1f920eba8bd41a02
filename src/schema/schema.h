// schema/schema.h
//
// JSON Schema 2020-12 (https://json-schema.org/draft/2020-12): the core, applicator, validation and
// unevaluated vocabularies; `format` is an annotation, except where asked for; no reference leaves
// the document. Compiled once, immutable, cheap to copy; any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/refusal.h"

namespace helve::schema {

// One violation: where in the instance, which keyword, and in words what was expected and found.
struct Violation {
  std::string instance;  // JSON pointer
  std::string schema;    // JSON pointer of the keyword in the schema
  std::string keyword;   // "type", "required", ...
  std::string message;   // from the text table
  bool operator==(const Violation&) const = default;
};

class Schema {
 public:
  // Refused: schema.invalid {pointer, reason}, schema.reference {pointer, reference},
  // schema.too_deep {limit}, schema.pattern {pointer, pattern, reason}.
  static Result<Schema> compile(const Json& document);

  // Empty if valid; at most `most` violations, in document order.
  std::vector<Violation> validate(const Json& instance, size_t most = 10) const;
  bool accepts(const Json& instance) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

// What hosts send as text becomes what the schema says, where it parses (R9): "3" for an integer,
// "true" or "yes" for a boolean, JSON text for arrays and objects; numbers and booleans for a
// string. Looks at `type` and `properties`/`items` only; anything else stays as it is.
Json coerce(const Json& schema, const Json& instance);

// A schema in the subset that every known host takes (R7): root object without combinators, no type
// lists, no boolean schemas, arrays with typed items. The findings name pointer and fix.
std::vector<Finding> portability(const Json& schema);

// A short example that satisfies the schema, for errors and help: {"url": "text", "depth": 1}.
Json example(const Json& schema);

}  // namespace helve::schema
