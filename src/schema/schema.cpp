#include "schema/schema.h"

#include "base/check.h"
#include "schema/detail/evaluator.h"
#include "schema/detail/program.h"

namespace helve::schema {

struct Schema::Compiled {
  Program program;
};

Result<Schema> Schema::compile(const Json& document) {
  const auto compiled = std::make_shared<Compiled>();
  compiled->program.document = document;
  if (auto done = compile_program(compiled->program); !done) {
    return std::unexpected(std::move(done.error()));
  }
  Schema schema;
  schema.compiled_ = compiled;
  return schema;
}

bool Schema::accepts(const Json& instance) const {
  HELVE_CHECK(compiled_ != nullptr);
  return Evaluator(compiled_->program, nullptr, 0).accepts(instance);
}

std::vector<Violation> Schema::validate(const Json& instance, size_t most) const {
  std::vector<Violation> violations;
  if (accepts(instance)) return violations;  // the common case, without any bookkeeping
  Evaluator(compiled_->program, &violations, std::max<size_t>(most, 1)).accepts(instance);
  HELVE_CHECK(!violations.empty());
  return violations;
}

}  // namespace helve::schema
