// Reads lines {"schema": ..., "instance": ...} and answers each with {"valid": true|false}, or with
// {"refused": RULE} where the schema is none. For tests/js/schema_differential.test.mjs.
#include <iostream>
#include <string>

#include "schema/schema.h"

namespace {

helve::JsonObject answer(const std::string& line) {
  const auto request = helve::parse_json(line);
  if (!request) return {{"refused", request.error().rule}};
  const helve::Json* schema = helve::find(*request, "schema");
  const helve::Json* instance = helve::find(*request, "instance");
  if (schema == nullptr || instance == nullptr) return {{"refused", "driver.line"}};
  const auto compiled = helve::schema::Schema::compile(*schema);
  if (!compiled) return {{"refused", compiled.error().rule}};
  const bool valid = compiled->accepts(*instance);
  // Both ways through the validator have to agree.
  if (valid != compiled->validate(*instance).empty()) return {{"refused", "driver.disagrees"}};
  return {{"valid", valid}};
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << helve::write_json(answer(line)) << '\n';
  }
}
