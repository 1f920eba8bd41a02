// template/detail/types.h
//
// Argument types: their notation (CT-41, CT-42), the one routine that brings a value into the form
// of its type (CT-49), and their JSON Schema (CT-48). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "template/detail/errors.h"
#include "template/template.h"

namespace helve::tmpl {

// `[A-Za-z_][A-Za-z0-9_-]*` (CT-22).
bool is_name(std::string_view text);
size_t name_length(std::string_view text);  // of the longest name at the front; 0: none

// "int", "enum(fast, slow)". Refused: template.invalid_type {type}.
Result<Type> parse_type(std::string_view text);

// Where the notation of a type at the front of `text` ends: behind the `)` of an enum, else at the
// first `=` or the end.
size_t type_length(std::string_view text);

std::string type_text(const Type& type);  // "enum(fast,slow)"

// What a value of the type looks like, in words of the text table.
std::string expected_form(const Type& type);

// For an argument that nobody has described: its name and its type, in words of the text table.
std::string generated_description(const Type& type, std::string_view name);

// The value in the form of the type, nothing if it has none. Null is no value of any type but
// string.
std::optional<Json> in_form(const Type& type, const Json& value);

// True for types that in_form() never changes.
inline bool takes_all(const Type& type) { return type.kind == Type::Kind::kString; }

JsonObject type_schema(const Type& type);

// A normalised default as a value of the schema's type, if it has one there.
std::optional<Json> schema_value(const Type& type, const Json& value);

}  // namespace helve::tmpl
