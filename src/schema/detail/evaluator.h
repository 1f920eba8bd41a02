// schema/detail/evaluator.h
//
// Holds one instance against a program. Without a list of violations it stops at the first; with
// one it goes on until the list is full. Bounded in depth and in work: what is too much counts as a
// violation of its own and is never valid. Lives for one validation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/refusal.h"
#include "schema/detail/program.h"
#include "schema/schema.h"

namespace helve::schema {

// Where in the instance: a chain up the stack, made text only for a violation.
struct Place {
  const Place* up = nullptr;
  std::string_view key;
  size_t index = 0;
  bool in_array = false;
};
std::string pointer_of(const Place& place);

// The resources entered on the way here, innermost first; for $dynamicRef.
struct Scope {
  const Scope* outer = nullptr;
  const SchemaResource* resource = nullptr;
};

// Which members or items of the instance a subschema has looked at; for unevaluated*.
class Seen {
 public:
  void mark(size_t index);
  void mark_all() { all_ = true; }
  void merge(const Seen& other);
  bool has(size_t index) const { return all_ || (index < some_.size() && some_[index]); }

 private:
  std::vector<bool> some_;
  bool all_ = false;
};

class Evaluator {
 public:
  Evaluator(const Program& program, std::vector<Violation>* violations, size_t most)
      : program_(program), violations_(violations), most_(most) {}

  bool accepts(const Json& instance);

 private:
  struct Frame {
    const Node& node;
    const Json& instance;
    const Place& place;
    const Scope* scope;
    Seen* seen;  // null if nobody asks
  };
  bool visit(const Node& node, const Json& instance, const Place& place, const Scope* scope,
             Seen* seen);
  bool rules(const Frame& frame);
  bool same(const Node* node, const Frame& frame);   // the same instance, another schema
  bool quiet(const Node* node, const Frame& frame);  // the same, without violations
  bool fail(const Frame& frame, std::string_view keyword, std::string_view key, Texts args = {});
  bool give_up(const Place& place, const std::string& pointer);
  bool stops() const {
    return violations_ == nullptr || exhausted_ || violations_->size() >= most_;
  }

  bool types(const Frame& frame);
  bool values(const Frame& frame);
  bool numbers(const Frame& frame);
  bool strings(const Frame& frame);
  bool references(const Frame& frame);
  bool combinators(const Frame& frame);
  bool any_of(const Frame& frame);
  bool one_of(const Frame& frame);
  bool conditions(const Frame& frame);
  bool arrays(const Frame& frame);
  bool array_size(const Frame& frame);
  bool contains(const Frame& frame);
  bool objects(const Frame& frame);
  bool object_size(const Frame& frame);
  bool dependents(const Frame& frame);
  bool member(const Frame& frame, size_t index, std::string_view key, const Json& value);
  bool unknown_member(const Frame& frame, std::string_view keyword, const Place& place,
                      std::string_view key);
  bool unevaluated(const Frame& frame);
  bool matches(const Frame& frame, const Pattern& pattern, std::string_view subject);
  void report_closest(const Frame& frame, const std::vector<const Node*>& branches);

  const Program& program_;
  std::vector<Violation>* violations_;
  size_t most_;
  size_t depth_ = 0;
  std::uint64_t steps_ = 0;
  bool exhausted_ = false;
};

}  // namespace helve::schema
