// What a caller is told about a value that does not fit (CT-49). The value itself may be a secret
// and is never repeated.
#include "template/detail/compiled.h"
#include "template/detail/errors.h"
#include "template/detail/types.h"

namespace helve::tmpl {
namespace {

constexpr size_t kMostNamed = 20;

// {"src": string, "level": int (optional)} in the short form `src: string, level?: int`.
std::string call_shape(const Tree& tree) {
  std::string out;
  size_t named = 0;
  for (const Argument& argument : tree.arguments) {
    if (!out.empty()) out += ", ";
    if (++named > kMostNamed) return out + "…";
    out +=
        clip(argument.name) + (argument.required ? ": " : "?: ") + clip(type_text(argument.type));
  }
  return out;
}

}  // namespace

std::unexpected<Refusal> invalid_value(const Tree& tree, std::string_view name, const Type& type) {
  return fail(
      "invalid_value",
      {{"name", clip(name)}, {"expected", expected_form(type)}, {"shape", call_shape(tree)}});
}

std::unexpected<Refusal> unknown_value(const Tree& tree, std::string_view name) {
  return fail("unknown_value", {{"name", clip(name)}, {"shape", call_shape(tree)}});
}

}  // namespace helve::tmpl
