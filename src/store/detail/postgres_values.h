// store/detail/postgres_values.h
//
// Values to libpq and back. All travel as text; the column's type says what a result becomes: whole
// numbers and truth values an integer, fractions a double, a numeric (what sum() makes of whole
// numbers) an integer if it is one, anything else text. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/libpq.h"

namespace helve::store {

class Places {
 public:
  explicit Places(std::span<const Value> values);
  int count() const { return static_cast<int>(pointers_.size()); }
  const char* const* pointers() const { return pointers_.data(); }

 private:
  std::vector<std::string> numbers_;
  std::vector<const char*> pointers_;  // into `numbers_` and the caller's values
};

Value value_of(Oid type, std::string_view text);

Rows rows_of(const Libpq& pq, const PGresult& result);

}  // namespace helve::store
