#include "template/detail/resolver.h"

#include <charconv>
#include <limits>

#include "base/check.h"
#include "base/text.h"
#include "template/detail/types.h"

namespace helve::tmpl {
namespace {

// `digits`: the index as it was written; empty if it was a number.
Result<Value> pick(const Value& array, std::uint64_t index, std::string_view digits,
                   std::string_view name) {
  if (!array.get().is_array()) {
    return fail("not_an_array",
                {{"name", clip(name)}, {"kind", std::string(json_kind(array.get()))}});
  }
  const size_t size = array.get().get_array().size();
  if (index >= size) {
    return fail("index_out_of_range",
                {{"name", clip(name)},
                 {"index", digits.empty() ? std::to_string(index) : std::string(digits)},
                 {"size", std::to_string(size)}});
  }
  return array.item(static_cast<size_t>(index));
}

std::string digits_of(const Json& index) {
  return index.is_string() ? clip(as_text(index)) : std::string();
}

std::unexpected<Refusal> missing(std::string_view name) {
  return fail("missing_value", {{"name", clip(name)}});
}

}  // namespace

Result<std::uint64_t> index_number(const Json& value, std::string_view name) {
  if (value.is_uint64()) return value.get_uint64();
  if (const auto whole = integral(value); whole && *whole >= 0) {
    return static_cast<std::uint64_t>(*whole);
  }
  if (!value.is_string() || !is_digits(as_text(value))) {
    return fail("invalid_index", {{"name", clip(name)}});
  }
  std::uint64_t number = 0;
  const std::string_view text = as_text(value);
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() ? number : std::numeric_limits<std::uint64_t>::max();
}

Result<Value> Resolver::lookup(Slot slot, size_t hops) {
  if (is_generated(slot)) {
    const GeneratedName& name = tree_.names[slot].as;
    const std::int64_t number = generated(name.which);
    return Value::own(name.padding > 0 ? Json(padded(number, name.padding)) : Json(number));
  }
  if (values_[slot] != nullptr) {
    if (is_secret(slot)) secret_used_ = true;
    return Value::of(*values_[slot]);
  }
  const Bound bound = bound_[slot];
  if (bound.kind == Bound::Kind::kNone) return Value();
  if (hops > tree_.limits.default_hops) {
    return fail("recursion_limit", {{"name", clip(tree_.names[slot].text)},
                                    {"limit", std::to_string(tree_.limits.default_hops)}});
  }
  Result<Value> value = value_of(slot, bound, hops);
  if (value && (is_secret(slot) || bound.secret)) secret_used_ = true;
  return value;
}

// Every default is used in the form of its name's type (CT-50); null is not checked.
Result<Value> Resolver::value_of(Slot slot, const Bound& bound, size_t hops) {
  Result<Value> value = raw_value_of(bound, hops);
  const Type& type = tree_.names[slot].type;
  if (!value || takes_all(type) || value->get().is_null()) return value;
  const bool formed = bound.kind == Bound::Kind::kDefault && bound.source->slot == slot &&
                      bound.source->pieces.empty();
  if (formed) return value;
  std::optional<Json> form = in_form(type, value->get());
  if (!form) return invalid_value(tree_, tree_.names[slot].text, type);
  return Value::own(*std::move(form));
}

Result<Value> Resolver::raw_value_of(const Bound& bound, size_t hops) {
  switch (bound.kind) {
    case Bound::Kind::kDefault:
      return default_value(*bound.source, hops);
    case Bound::Kind::kValue:
      return Value::of(*bound.value);
    case Bound::Kind::kItem:
      return item_of(bound, hops);
    case Bound::Kind::kNumber:
      return Value::own(bound.padding > 0 ? Json(padded(bound.number, bound.padding))
                                          : Json(bound.number));
    case Bound::Kind::kNone:
      break;
  }
  HELVE_CHECK(false);
}

Result<Value> Resolver::default_value(const Default& entry, size_t hops) {
  if (entry.pieces.empty()) return Value::of(entry.value);
  if (Status paid = spend(entry.pieces.size()); !paid) return std::unexpected(paid.error());
  if (is_single_placeholder(entry.pieces)) return resolve(entry.pieces.front(), hops + 1);
  std::string text;
  if (Status done = append(text, entry.pieces, hops + 1); !done) {
    return std::unexpected(done.error());
  }
  return Value::own(Json(text));
}

Result<Value> Resolver::item_of(const Bound& bound, size_t hops) {
  if (Status paid = spend(1); !paid) return std::unexpected(paid.error());
  const std::string& name = tree_.names[bound.base_slot].text;
  Result<Value> array = value_of(bound.base_slot, *bound.base, hops);
  if (!array) return array;
  auto index = static_cast<std::uint64_t>(bound.number);
  std::string digits(bound.digits);
  if (bound.index != nullptr) {
    const Result<Value> value = raw_value_of(*bound.index, hops);
    if (!value) return value;
    const Result<std::uint64_t> number = index_number(value->get(), name);
    if (!number) return std::unexpected(number.error());
    index = *number;
    digits = digits_of(value->get());
  }
  return pick(*array, index, digits, name);
}

Result<Value> Resolver::resolve(const Piece& piece, size_t hops) {
  switch (piece.kind) {
    case Piece::Kind::kText:
      return Value::own(Json(piece.text));
    case Piece::Kind::kName:
      return resolve_name(piece, hops);
    case Piece::Kind::kFallback:
    case Piece::Kind::kConditional:
      return resolve_choice(piece, hops);
    case Piece::Kind::kItem:
      return resolve_item(piece, hops);
    case Piece::Kind::kArithmetic:
      return resolve_arithmetic(piece, hops);
  }
  HELVE_CHECK(false);
}

Result<Value> Resolver::resolve_name(const Piece& piece, size_t hops) {
  Result<Value> found = lookup(piece.slot, hops);
  if (!found || found->exists()) return found;
  if (!piece.extra) return missing(tree_.names[piece.slot].text);
  const std::optional<Json>& fallback = piece.extra->inline_default;
  if (fallback) return Value::of(*fallback);
  return missing(tree_.names[piece.slot].text);
}

// The condition alone reveals no secret; only a value that is used does.
Result<Value> Resolver::resolve_choice(const Piece& piece, size_t hops) {
  const bool used_before = secret_used_;
  Result<Value> found = lookup(piece.slot, hops);
  if (!found) return found;
  const bool truth = found->exists() && is_truthy(found->get());
  if (piece.kind == Piece::Kind::kFallback && truth) return found;
  secret_used_ = used_before;
  if (piece.kind == Piece::Kind::kFallback) return Value::own(Json(piece.text));
  return Value::own(Json(truth != piece.negated ? piece.text : piece.extra->second));
}

Result<Value> Resolver::resolve_item(const Piece& piece, size_t hops) {
  Result<Value> array = lookup(piece.slot, hops);
  if (!array) return array;
  const std::string& name = tree_.names[piece.slot].text;
  if (!array->exists()) return missing(name);
  std::uint64_t index = piece.extra->index;
  std::string digits = piece.extra->digits;
  if (piece.extra->index_is_name) {
    const std::string& index_name = tree_.names[piece.extra->index_slot].text;
    const Result<Value> value = lookup(piece.extra->index_slot, hops);
    if (!value) return value;
    if (!value->exists()) return missing(index_name);
    const Result<std::uint64_t> number = index_number(value->get(), index_name);
    if (!number) return std::unexpected(number.error());
    index = *number;
    digits = digits_of(value->get());
  }
  return pick(*array, index, digits, name);
}

Result<Value> Resolver::resolve_arithmetic(const Piece& piece, size_t hops) {
  const Expression& expression = piece.extra->expression;
  GeneratedValues names = {};
  for (size_t i = 0; i < names.size(); ++i) {
    if (!expression.uses[i]) continue;
    const Result<std::int64_t> value = operand(piece.extra->operands[i], hops);
    if (!value) return std::unexpected(value.error());
    names[i] = *value;
  }
  const Result<std::int64_t> result = evaluate(expression, names);
  if (!result) return std::unexpected(result.error());
  return Value::own(expression.padding > 0 ? Json(padded(*result, expression.padding))
                                           : Json(*result));
}

// Outside an instance the four names are ordinary, and must hold integers (CT-61).
Result<std::int64_t> Resolver::operand(Slot slot, size_t hops) {
  const Name& name = tree_.names[slot];
  if (is_generated(slot)) return generated(name.as.which);
  const Result<Value> found = lookup(slot, hops);
  if (!found) return std::unexpected(found.error());
  if (!found->exists()) return missing(name.text);
  const Json& value = found->get();
  if (const auto whole = integral(value)) return *whole;
  if (value.is_uint64()) return fail("overflow");
  std::int64_t number = 0;
  const std::string text(value.is_string() ? trim(as_text(value)) : std::string_view());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) return fail("overflow");
  if (error != std::errc() || end != text.data() + text.size()) {
    return bad_placeholder("invalid_expression", name.text);
  }
  return number;
}

Status Resolver::append(std::string& out, const Piece& piece, size_t hops) {
  if (piece.kind == Piece::Kind::kText) {
    out += piece.text;
    return check_size(out);
  }
  const Result<Value> value = resolve(piece, hops);
  if (!value) return std::unexpected(value.error());
  append_text(out, value->get());
  return check_size(out);
}

Status Resolver::append(std::string& out, const Pieces& pieces, size_t hops) {
  for (const Piece& piece : pieces) {
    if (Status done = append(out, piece, hops); !done) return done;
  }
  return {};
}

Status Resolver::append_start(std::string& out, const Piece& piece, size_t limit) {
  if (piece.kind == Piece::Kind::kText) {
    out += std::string_view(piece.text).substr(0, limit);
    return {};
  }
  const Result<Value> value = resolve(piece);
  if (!value) return std::unexpected(value.error());
  append_text_start(out, value->get(), limit);
  return {};
}

Status Resolver::check_size(const std::string& out) const {
  if (out.size() <= tree_.limits.argument_bytes) return {};
  return over_limit("argument_bytes", tree_.limits.argument_bytes);
}

}  // namespace helve::tmpl
