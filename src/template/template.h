// template/template.h
//
// A command template, compiled: every error that needs no values has been found. Immutable and
// cheap to copy; any thread may expand it. Refusals are `template.CLASS`, one per error class of
// the format (CT section 18), with args {word, offset, name, ...} as far as they apply, and details
// {"pointer": JSON pointer of the node in the template's source}.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/refusal.h"
#include "template/plan.h"

namespace helve::tmpl {

struct Limits {  // CT section 17; beyond one: template.limit_exceeded {limit, value, what}
  size_t template_bytes = 64 * 1024;
  size_t words = 4096;
  size_t depth = 32;
  size_t nodes = 1000;  // after expansion, repeat instances included
  size_t parenthesis_depth = 64;
  size_t default_hops = 5;
  size_t argument_bytes = 1024 * 1024;   // argv of one leaf, ends included
  size_t total_bytes = 8 * 1024 * 1024;  // all texts of one template tree
  size_t plan_bytes = 64 * 1024 * 1024;  // all arguments of one plan, and its outputs
  size_t word_bytes = 131'071;           // longest argument: Linux MAX_ARG_STRLEN less the NUL
  size_t attempts = 1'000'000;           // of all leaves: `retry` multiplied along each path
};

struct Type {
  enum class Kind { kString, kPath, kInt, kNumber, kBool, kArray, kEnum };
  Kind kind = Kind::kString;
  std::vector<std::string> items;  // kEnum
  bool operator==(const Type&) const = default;
};

struct Argument {
  std::string name;
  Type type;
  bool required = false;
  std::optional<Json> literal_default;  // where the default is literal text, converted to the type
};

struct Options {
  Limits limits;
  bool drop_empty_words = false;  // host field `empty_args: "drop"` (DV-9)
  // Names beside the portable fields that the host itself reads on the root node; CT-4.
  std::vector<std::string> host_fields;
  // Names of arguments whose values the host masks: no remark asks for what is done already.
  std::vector<std::string> secret;
};

// Where and for whom a plan is made.
struct Place {
  std::string cwd;   // absolute; command words with a slash are resolved against it (CT-70)
  std::string home;  // absolute; "" if unknown: `~` then stays as it is
  std::vector<std::string> secret;  // names of arguments whose values are masked in `Step::shown`
};

class Template {
 public:
  // The first error, in source order. Warnings (lints, retired names, CT-4, CT-20, CT-36) and risk
  // labels are in findings() and risks().
  static Result<Template> compile(const Json& node, const Options& options = {});

  const std::vector<Argument>& arguments() const;  // CT-46, in order

  // CT-48. `descriptions` maps argument names to texts; others get a generated one.
  Json input_schema(const JsonObject& descriptions = {}) const;

  const std::vector<Finding>& findings() const;   // warnings only
  const std::vector<std::string>& risks() const;  // "risk.shell", ... in the order of CT-97

  // CT-49: the values in their normalised form; unknown names are refused (template.unknown_value).
  Result<JsonObject> normalise(const JsonObject& values) const;

  // Preflight, whole (CT-8): values are normalised first.
  Result<Plan> expand(const JsonObject& values, const Place& place) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace helve::tmpl
