#include <charconv>
#include <cmath>

#include "base/check.h"
#include "store/detail/postgres_values.h"

namespace helve::store {
namespace {

// The types as pg_type has them; they never change.
constexpr Oid kBool = 16, kInt8 = 20, kInt2 = 21, kInt4 = 23, kFloat4 = 700, kFloat8 = 701,
              kNumeric = 1700;

template <typename Number>
std::string number_as_text(Number number) {
  char buffer[32];
  const auto end = std::to_chars(std::begin(buffer), std::end(buffer), number).ptr;
  return {std::begin(buffer), end};
}

template <typename Number>
bool read_all(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Value number_of(std::string_view text) {
  std::int64_t whole = 0;
  if (read_all(text, whole)) return whole;
  double fraction = 0;
  if (read_all(text, fraction)) return fraction;
  return std::string(text);
}

bool changes_rows(std::string_view tag) {
  return tag.starts_with("INSERT") || tag.starts_with("UPDATE") || tag.starts_with("DELETE");
}

}  // namespace

Places::Places(std::span<const Value> values) {
  numbers_.reserve(values.size());  // the pointers have to stay good
  for (const Value& value : values) {
    if (const auto* held = std::get_if<std::string>(&value)) {
      HELVE_CHECK(!held->contains('\0'));
      pointers_.push_back(held->c_str());
    } else if (is_null(value)) {
      pointers_.push_back(nullptr);
    } else {
      const auto* whole = std::get_if<std::int64_t>(&value);
      numbers_.push_back(whole ? number_as_text(*whole) : number_as_text(real(value)));
      pointers_.push_back(numbers_.back().c_str());
    }
  }
}

Value value_of(Oid type, std::string_view text) {
  switch (type) {
    case kBool:
      return static_cast<std::int64_t>(text == "t");
    case kInt2:
    case kInt4:
    case kInt8:
    case kNumeric:
      return number_of(text);
    case kFloat4:
    case kFloat8: {
      double fraction = 0;
      HELVE_CHECK(read_all(text, fraction));
      return fraction;
    }
    default:
      return std::string(text);
  }
}

Rows rows_of(const Libpq& pq, const PGresult& result) {
  Rows rows;
  const int columns = pq.column_count(&result);
  for (int r = 0; r < pq.row_count(&result); ++r) {
    Row& row = rows.rows.emplace_back();
    for (int c = 0; c < columns; ++c) {
      const auto length = static_cast<std::size_t>(pq.length(&result, r, c));
      const bool null = pq.is_null(&result, r, c) != 0;
      row.push_back(null ? Value()
                         : value_of(pq.column_type(&result, c), {pq.value(&result, r, c), length}));
    }
  }
  auto* own = const_cast<PGresult*>(&result);  // libpq's signature; it only reads
  if (changes_rows(pq.command_tag(own))) read_all(pq.command_rows(own), rows.changed);
  return rows;
}

}  // namespace helve::store
