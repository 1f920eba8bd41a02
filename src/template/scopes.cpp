// The scope half of Resolver: values, the binding of defaults, generated names.
#include <algorithm>
#include <limits>

#include "template/detail/resolver.h"
#include "template/detail/types.h"

namespace helve::tmpl {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

}  // namespace

Resolver::Resolver(const Tree& tree)
    : tree_(tree),
      values_(tree.names.size(), nullptr),
      bound_(tree.names.size()),
      work_left_(tree.limits.words * tree.limits.nodes) {}

Status Resolver::take_values(const JsonObject& values) {
  for (const auto& [key, value] : values) {
    const std::optional<Slot> slot = tree_.find(key);
    if (!slot || value.is_null()) continue;  // CT-29
    const Type& type = tree_.names[*slot].type;
    if (takes_all(type)) {
      values_[*slot] = &value;
      continue;
    }
    std::optional<Json> form = in_form(type, value);
    if (!form) return invalid_value(tree_, key, type);
    values_[*slot] = &formed_.emplace_back(*std::move(form));
  }
  return {};
}

void Resolver::hide(const std::vector<std::string>& secret) {
  for (const std::string& name : secret) {
    const std::optional<Slot> slot = tree_.find(name);
    if (!slot) continue;
    secret_.resize(tree_.names.size());
    secret_[*slot] = true;
  }
}

std::int64_t Resolver::generated(Generated which) const {
  const auto [index, repeat] = instance_;
  switch (which) {
    case Generated::kIndex:
      return index;
    case Generated::kPrev:
      return index == 0 ? repeat - 1 : index - 1;
    case Generated::kNext:
      return index + 1 == repeat ? 0 : index + 1;
    case Generated::kRepeat:
      return repeat;
  }
  return 0;
}

Result<Resolver::Mark> Resolver::enter(const Node& node) {
  const Mark mark{undo_.size(), arena_.size()};
  if (Status paid = spend(node.defaults.size()); !paid) return std::unexpected(paid.error());
  for (const Default& entry : node.defaults) {
    // In any order: an early binding never reads a sibling of its own (CT-54).
    const Bound bound = bind(entry);
    undo_.emplace_back(entry.slot, std::exchange(bound_[entry.slot], bound));
  }
  return mark;
}

void Resolver::leave(Mark mark) {
  while (undo_.size() > mark.undo) {
    bound_[undo_.back().first] = undo_.back().second;
    undo_.pop_back();
  }
  arena_.resize(mark.arena);
}

Resolver::Bound Resolver::bind(const Default& entry) {
  if (entry.early) {
    if (std::optional<Bound> bound = early(entry)) return *bound;
  }
  return {.kind = Bound::Kind::kDefault, .source = &entry};
}

// CT-53: the inherited value as it stands, if no call-time value will win anyway.
std::optional<Resolver::Bound> Resolver::early(const Default& entry) {
  const Piece& piece = entry.pieces.front();
  if (!is_generated(piece.slot) && values_[piece.slot] != nullptr) return std::nullopt;
  std::optional<Bound> base = known(piece.slot);
  if (base && piece.kind == Piece::Kind::kItem) base = early_item(piece, *base);
  if (base && is_secret(piece.slot)) base->secret = true;
  return base;
}

std::optional<Resolver::Bound> Resolver::early_item(const Piece& piece, const Bound& base) {
  if (base.kind == Bound::Kind::kNumber) return std::nullopt;
  Bound item{.kind = Bound::Kind::kItem, .base_slot = piece.slot, .secret = base.secret};
  if (piece.extra->index_is_name) {
    const std::optional<Bound> index = known(piece.extra->index_slot);
    if (!index) return std::nullopt;
    item.index = keep(*index);
  } else {
    // A literal beyond the positive range is out of every array's range just as well.
    item.number = static_cast<std::int64_t>(std::min(piece.extra->index, kMost));
    item.digits = piece.extra->digits;
  }
  item.base = keep(base);
  return item;
}

std::optional<Resolver::Bound> Resolver::known(Slot slot) const {
  if (is_generated(slot)) {
    const GeneratedName& name = tree_.names[slot].as;
    return Bound{
        .kind = Bound::Kind::kNumber, .padding = name.padding, .number = generated(name.which)};
  }
  if (values_[slot] != nullptr) return Bound{.kind = Bound::Kind::kValue, .value = values_[slot]};
  if (bound_[slot].kind != Bound::Kind::kNone) return bound_[slot];
  return std::nullopt;
}

const Resolver::Bound* Resolver::keep(const Bound& bound) { return &arena_.emplace_back(bound); }

// Defaults may lead to defaults in great numbers; this bounds their sum.
Status Resolver::spend(size_t work) {
  if (work > work_left_) return over_limit("work", tree_.limits.words * tree_.limits.nodes);
  work_left_ -= work;
  return {};
}

}  // namespace helve::tmpl
