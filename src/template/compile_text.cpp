// Texts into pieces, names into slots.
#include <charconv>
#include <limits>

#include "template/detail/compiler.h"
#include "template/detail/value.h"

namespace helve::tmpl {

std::string Node::member(std::string_view name) const {
  return as_object ? pointer_to(pointer, name) : pointer;
}

std::optional<Slot> Tree::find(std::string_view name) const {
  const auto found = slots.find(name);
  return found == slots.end() ? std::nullopt : std::optional(found->second);
}

Slot Compiler::slot(std::string_view name) {
  if (const auto known = tree_.find(name)) return *known;
  const auto added = static_cast<Slot>(tree_.names.size());
  const std::optional<GeneratedName> generated = generated_name(name);
  tree_.names.push_back({.text = std::string(name),
                         .generated = generated.has_value(),
                         .as = generated.value_or(GeneratedName())});
  tree_.slots.emplace(name, added);
  usage_.emplace_back();
  return added;
}

Status Compiler::charge(size_t bytes) {
  bytes_ += bytes;
  if (bytes_ <= tree_.limits.total_bytes) return {};
  return over_limit("total_bytes", tree_.limits.total_bytes);
}

// In defaults and labels, braces that are no placeholder are text (CT-31).
Result<Pieces> Compiler::pieces(std::string_view text, Origin origin) {
  Pieces out;
  const auto literal = [&](std::string_view part) {
    if (part.empty()) return;
    if (out.empty() || out.back().kind != Piece::Kind::kText) out.emplace_back();
    out.back().text += part;
  };
  size_t at = 0;
  while (const std::optional<Span> span = next_placeholder(text, at)) {
    lint_nesting(text, at, *span);
    literal(text.substr(at, span->begin - at));
    const std::string_view whole = text.substr(span->begin, span->end - span->begin);
    Result<Piece> read = piece(whole.substr(1, whole.size() - 2), origin);
    if (!read) {
      failed_at_ = span->begin;
      return std::unexpected(read.error());
    }
    if (read->kind != Piece::Kind::kText) {
      out.push_back(*std::move(read));
      if (origin == Origin::kLabel) {
        if (!out.back().extra) out.back().extra = std::make_unique<Piece::Extra>();
        out.back().extra->source = whole;
      }
    } else {
      literal(whole);
    }
    at = span->end;
  }
  literal(text.substr(at));
  return out;
}

// A piece of plain text means: no placeholder after all.
Result<Piece> Compiler::piece(std::string_view content, Origin origin) {
  const Result<Placeholder> read = parse_placeholder(content, tree_.limits.parenthesis_depth);
  if (!read) {
    const bool lenient = origin == Origin::kDefault || origin == Origin::kLabel;
    if (lenient && read.error().rule != "template.limit_exceeded") return Piece();
    return std::unexpected(read.error());
  }
  Piece out;
  switch (read->kind) {
    case Placeholder::Kind::kName:
      if (Status done = fill_name(out, *read, origin); !done) return std::unexpected(done.error());
      break;
    case Placeholder::Kind::kItem:
      fill_item(out, *read, origin);
      break;
    case Placeholder::Kind::kArithmetic:
      if (Status done = fill_arithmetic(out, *read, origin); !done) {
        return std::unexpected(done.error());
      }
      break;
    case Placeholder::Kind::kFallback:
    case Placeholder::Kind::kConditional: {
      const bool fallback = read->kind == Placeholder::Kind::kFallback;
      out.kind = fallback ? Piece::Kind::kFallback : Piece::Kind::kConditional;
      out.slot = slot(read->name);
      out.negated = read->negated;
      out.text = read->first;
      if (!fallback) out.extra = std::make_unique<Piece::Extra>();
      if (!fallback) out.extra->second = read->second;
      use(out.slot, fallback ? Form::kOptional : Form::kFlag, origin);
    }
  }
  return out;
}

Status Compiler::fill_name(Piece& piece, const Placeholder& placeholder, Origin origin) {
  piece.kind = Piece::Kind::kName;
  piece.slot = slot(placeholder.name);
  use(piece.slot, origin == Origin::kWhen ? Form::kFlag : Form::kPlain, origin);
  if (placeholder.type) {
    if (Status taken = take_type(piece.slot, *placeholder.type); !taken) return taken;
  }
  if (!placeholder.inline_default) return {};
  piece.extra = std::make_unique<Piece::Extra>();
  Json& value = piece.extra->inline_default.emplace(*placeholder.inline_default);
  usage_[piece.slot].has_default = true;
  pending_.push_back({&value, piece.slot, place(member_)});
  return {};
}

void Compiler::fill_item(Piece& piece, const Placeholder& placeholder, Origin origin) {
  piece.kind = Piece::Kind::kItem;
  piece.slot = slot(placeholder.name);
  piece.extra = std::make_unique<Piece::Extra>();
  use(piece.slot, Form::kArray, origin);
  const std::string_view index = placeholder.index;
  if (!is_digits(index)) {
    piece.extra->index_is_name = true;
    piece.extra->index_slot = slot(index);
    use(piece.extra->index_slot, Form::kPlain, origin);
    return;
  }
  piece.extra->digits = clip(index);
  const auto parsed =
      std::from_chars(index.data(), index.data() + index.size(), piece.extra->index);
  if (parsed.ec != std::errc()) {
    piece.extra->index = std::numeric_limits<std::uint64_t>::max();
  }
}

// Without names the result is known already, and so is its error. Defaults may stay unused.
Status Compiler::fill_arithmetic(Piece& piece, const Placeholder& placeholder, Origin origin) {
  piece.kind = Piece::Kind::kArithmetic;
  piece.extra = std::make_unique<Piece::Extra>();
  piece.extra->expression = placeholder.expression;
  for (size_t i = 0; i < kGeneratedNames.size(); ++i) {
    if (!placeholder.expression.uses[i]) continue;
    piece.extra->operands[i] = slot(kGeneratedNames[i]);
    use(piece.extra->operands[i], Form::kPlain, origin);
  }
  const bool strict = origin == Origin::kBody || origin == Origin::kWhen;
  if (strict && !placeholder.expression.has_names()) {
    const Result<std::int64_t> result = evaluate(placeholder.expression, {});
    if (!result) return std::unexpected(result.error());
  }
  return {};
}

Piece Compiler::name_piece(std::string_view name, Origin origin) {
  Piece out{.kind = Piece::Kind::kName, .slot = slot(name)};
  use(out.slot, origin == Origin::kWhen ? Form::kFlag : Form::kPlain, origin);
  return out;
}

void Compiler::use(Slot slot, Form form, Origin origin) {
  if (repeats_around_ > 0 && tree_.names[slot].generated) return;
  Usage& usage = usage_[slot];
  if (!usage.used) used_.push_back(slot);
  usage.used = true;
  if (args_around_ > 0 && !usage.undeclared_at) usage.undeclared_at = place(member_);
  if (origin != Origin::kDefault) usage.only_in_defaults = false;
  if (form == Form::kArray) usage.any_array = true;
  if (form != Form::kFlag) usage.all_flags = false;
  // A label that cannot be filled in stays as it is, so it never needs its names.
  const bool optional = form == Form::kFlag || form == Form::kOptional || origin == Origin::kLabel;
  if (!optional) usage.all_optional = false;
}

void Compiler::note_texts(const Pieces& pieces) {
  for (const Piece& piece : pieces) {
    if (piece.kind != Piece::Kind::kName && piece.kind != Piece::Kind::kFallback) continue;
    Usage& usage = usage_[piece.slot];
    if (!usage.text_at) usage.text_at = place(member_);
  }
}

}  // namespace helve::tmpl
