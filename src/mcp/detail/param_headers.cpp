// Mcp-Param-{name}: which arguments have one, by the schema, and whether it says what they say.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "mcp/detail/fields.h"
#include "mcp/detail/header_errors.h"
#include "mcp/detail/header_rules.h"

namespace helve::mcp {
namespace {

constexpr std::string_view kMark = "x-mcp-header";
constexpr std::string_view kPrefix = "Mcp-Param-";

// Keywords that hold a schema or a list of schemas, and those that hold schemas by name. Marks in
// them are wrong, since which of them applies depends on the value.
constexpr std::array<std::string_view, 15> kNested = {"items",
                                                      "prefixItems",
                                                      "contains",
                                                      "additionalProperties",
                                                      "unevaluatedProperties",
                                                      "unevaluatedItems",
                                                      "propertyNames",
                                                      "oneOf",
                                                      "anyOf",
                                                      "allOf",
                                                      "not",
                                                      "if",
                                                      "then",
                                                      "else",
                                                      "contentSchema"};
constexpr std::array<std::string_view, 4> kNestedByName = {"patternProperties", "dependentSchemas",
                                                           "$defs", "definitions"};

class Reader {
 public:
  Result<std::vector<ParamHeader>> read(const Json& schema) {
    visit(schema, "", true);
    if (refusal_) return std::unexpected(*std::move(refusal_));
    return std::move(marks_);
  }

 private:
  void visit(const Json& schema, const std::string& pointer, bool reachable) {
    if (refusal_ || !schema.is_object()) return;
    if (const Json* mark = find(schema, kMark)) read_mark(schema, *mark, pointer, reachable);
    visit_properties(schema, pointer, reachable);
    for (const std::string_view keyword : kNested) {
      if (const Json* nested = find(schema, keyword))
        visit_nested(*nested, pointer_to(pointer, keyword));
    }
    for (const std::string_view keyword : kNestedByName) {
      const Json* const nested = find(schema, keyword);
      if (nested == nullptr || !nested->is_object()) continue;
      for (const auto& [name, inner] : nested->get_object()) {
        visit(inner, pointer_to(pointer_to(pointer, keyword), name), false);
      }
    }
  }

  void visit_properties(const Json& schema, const std::string& pointer, bool reachable) {
    const Json* const properties = find(schema, "properties");
    if (properties == nullptr || !properties->is_object()) return;
    for (const auto& [name, inner] : properties->get_object()) {
      path_.emplace_back(name);
      visit(inner, pointer_to(pointer_to(pointer, "properties"), name), reachable);
      path_.pop_back();
    }
  }

  void visit_nested(const Json& nested, const std::string& pointer) {
    if (!nested.is_array()) return visit(nested, pointer, false);
    for (size_t i = 0; i < nested.get_array().size(); ++i) {
      visit(nested.get_array()[i], pointer_to(pointer, i), false);
    }
  }

  void read_mark(const Json& schema, const Json& mark, const std::string& pointer, bool reachable) {
    if (!reachable || path_.empty())
      return stop(refuse("schema.header_place", {{"pointer", pointer}}));
    const std::string name(mark.is_string() ? as_text(mark) : std::string_view());
    if (!is_token(name)) {
      return stop(
          refuse("schema.header_name", {{"pointer", pointer}, {"found", shown(write_json(mark))}}));
    }
    const auto type = find_text(schema, "type");
    if (type != "string" && type != "integer" && type != "boolean") {
      const Json* const found = find(schema, "type");
      return stop(
          refuse("schema.header_type",
                 {{"pointer", pointer},
                  {"found", shown(write_json(found == nullptr ? Json(nullptr) : *found))}}));
    }
    const std::string header = std::string(kPrefix) + name;
    if (std::ranges::any_of(
            marks_, [&](const ParamHeader& other) { return same_word(other.header, header); })) {
      return stop(refuse("schema.header_twice", {{"pointer", pointer}, {"name", name}}));
    }
    marks_.push_back({.header = header, .path = path_, .number = type == "integer"});
  }

  void stop(std::unexpected<Refusal> why) {
    if (!refusal_) refusal_ = std::move(why.error());
  }

  std::vector<std::string> path_;  // of the property that is being visited
  std::vector<ParamHeader> marks_;
  std::optional<Refusal> refusal_;
};

const Json* argument_at(const Json& arguments, const std::vector<std::string>& path) {
  const Json* value = &arguments;
  for (const std::string& name : path) {
    value = find(*value, name);
    if (value == nullptr) return nullptr;
  }
  return value;
}

// As a header says it; nullopt for what has none.
std::optional<std::string> header_text(const Json& value) {
  if (value.is_string()) return std::string(as_text(value));
  if (value.is_bool() || value.is_number()) return write_json(value);
  return std::nullopt;
}

// Whether JavaScript can hold it without loss.
bool is_safe(const Json& value) {
  constexpr std::int64_t kMost = (std::int64_t{1} << 53) - 1;
  if (value.is_uint64()) return false;  // parse_json has these beyond 63 bits only
  if (value.is_int64()) return value.get_int64() >= -kMost && value.get_int64() <= kMost;
  if (!value.is_double()) return true;
  const double number = value.get_double();
  return std::floor(number) != number || std::abs(number) <= static_cast<double>(kMost);
}

// "-12.50": no exponent, no plus, nothing hexadecimal.
bool is_decimal(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  if (text.starts_with('-')) text.remove_prefix(1);
  const size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  if (whole.empty() || whole.find_first_not_of(kDigits) != std::string_view::npos) return false;
  if (dot == std::string_view::npos) return true;
  const std::string_view rest = text.substr(dot + 1);
  return !rest.empty() && rest.find_first_not_of(kDigits) == std::string_view::npos;
}

template <typename Number>
bool reads_as(std::string_view text, Number number) {
  Number read{};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, read);
  return error == std::errc() && stop == end && read == number;
}

bool same_number(std::string_view sent, const Json& body) {
  if (body.is_double()) return reads_as(sent, body.get_double());
  const size_t dot = sent.find('.');
  const bool whole = dot == std::string_view::npos ||
                     sent.substr(dot + 1).find_first_not_of('0') == std::string_view::npos;
  sent = sent.substr(0, dot);
  return whole &&
         (body.is_uint64() ? reads_as(sent, body.get_uint64()) : reads_as(sent, body.get_int64()));
}

Checked check_argument(const http::Headers& headers, const ParamHeader& mark, const Json& value) {
  const auto body = header_text(value);
  if (!body) return {};
  const Field field = find_field(headers, mark.header);
  if (field.count > 1) return header_repeated(mark.header, field.count);
  if (field.count == 0) {
    if (!is_safe(value)) return {};
    return header_missing(mark.header, *body);
  }
  const auto sent = decode_header_value(field.value);
  if (!sent) return header_encoding(mark.header, field.value);
  const bool numbers = mark.number && value.is_number() && is_decimal(*sent);
  if (numbers ? same_number(*sent, value) : *sent == *body) return {};
  return header_mismatch(mark.header, *sent, *body);
}

}  // namespace

Result<std::vector<ParamHeader>> read_param_headers(const Json& input_schema) {
  return Reader().read(input_schema);
}

Checked check_param_headers(const http::Headers& headers, const std::vector<ParamHeader>& marks,
                            const Json& arguments) {
  for (const ParamHeader& mark : marks) {
    const Json* const value = argument_at(arguments, mark.path);
    if (value == nullptr) continue;
    if (auto same = check_argument(headers, mark, *value); !same) return same;
  }
  return {};
}

}  // namespace helve::mcp
