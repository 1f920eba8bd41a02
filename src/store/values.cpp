// What a column holds, as the caller wants it.
#include <utility>

#include "store/database.h"

namespace helve::store {

std::int64_t integer(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* fraction = std::get_if<double>(&value)) {
    return static_cast<std::int64_t>(*fraction);
  }
  return 0;
}

double real(const Value& value) {
  if (const auto* fraction = std::get_if<double>(&value)) return *fraction;
  return static_cast<double>(integer(value));
}

std::string text(Value&& value) {
  if (auto* held = std::get_if<std::string>(&value)) return std::move(*held);
  return {};
}

bool is_null(const Value& value) { return std::holds_alternative<std::monostate>(value); }

}  // namespace helve::store
