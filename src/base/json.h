// base/json.h
//
// The JSON value of the project (Boost.JSON's, member order kept) with our reading rules and our
// writer. Reading: RFC 8259, valid UTF-8, depth at most 256, integers that do not fit 64 bits are
// refused. Writing: shortest numbers laid out like ECMAScript, U+FFFD for invalid UTF-8, null for
// what JSON cannot say; arrays and objects always read back, so that in them a whole double beyond
// 64 bits has an exponent: [1e+20]. Values of one thread.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace helve {

struct Refusal;

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;

// What becomes of half a surrogate pair, "\ud800", which is grammatical but stands for no
// character: U+FFFD, which is not what was written, or a refusal.
enum class HalfPairs { kReplaced, kRefused };

// Refused: json.invalid {reason, line, column}, json.too_deep {limit, line, column},
// json.integer_too_large {number, line, column}, json.too_many_values {limit}: a million; if so
// wanted, json.half_pair {line, column}.
std::expected<Json, Refusal> parse_json(std::string_view text,
                                        HalfPairs half_pairs = HalfPairs::kReplaced);

enum class JsonStyle { kCompact, kPretty };  // pretty: two blanks of indentation, no final line end
std::string write_json(const Json& value, JsonStyle style = JsonStyle::kCompact);
void append_json(std::string& out, const Json& value);
void append_json_string(std::string& out, std::string_view text);

// A number as ECMAScript prints it: 2.0 is "2", 1e21 is "1e+21", -0.0 is "0".
std::string number_text(double number);

// The member of an object, or null for anything else.
const Json* find(const Json& value, std::string_view key);
const Json* find(const JsonObject& object, std::string_view key);

std::string_view as_text(const Json& value);  // of a string value
// The view is into `value`: an object is taken as it is, so that no copy is made that would be
// gone.
std::optional<std::string_view> find_text(const Json& value, std::string_view key);
std::optional<std::string_view> find_text(const JsonObject& object, std::string_view key);

// "object", "array", "string", "integer", "number", "boolean" or "null".
std::string_view json_kind(const Json& value);

// Appends "/key" to a JSON pointer, escaped as RFC 6901 wants it.
std::string pointer_to(std::string_view parent, std::string_view key);
std::string pointer_to(std::string_view parent, size_t index);

// Line and column (both from 1, columns in bytes) of a byte offset.
struct Position {
  size_t line = 1;
  size_t column = 1;
  bool operator==(const Position&) const = default;
};
Position position_of(std::string_view text, size_t offset);

}  // namespace helve
