// Args, defaults and types (CT-41 to CT-50), and the arguments of the tool that follow from them.
#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "template/detail/compiler.h"
#include "template/detail/types.h"

namespace helve::tmpl {
namespace {

struct Entry {
  std::string_view name;
  std::optional<std::string_view> type, fallback;
};

// `name`, `name:type`, either with `=default`; all parts trimmed.
Entry read_entry(std::string_view text) {
  Entry out;
  const size_t mark = text.find_first_of(":=");
  out.name = trim(text.substr(0, mark));
  if (mark == std::string_view::npos) return out;
  std::string_view rest = text.substr(mark);
  if (rest.front() == ':') {
    rest.remove_prefix(1);
    while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
    size_t length = type_length(rest);
    length = std::min(rest.find('=', length), rest.size());
    out.type = trim(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  if (!rest.empty()) out.fallback = trim(rest.substr(1));
  return out;
}

}  // namespace

Status Compiler::read_args(Node& node, const Json& value, const std::string& pointer) {
  if (!value.is_array()) return wrong_kind("args", "array", value);
  std::unordered_set<Slot> seen;
  for (size_t i = 0; i < value.get_array().size(); ++i) {
    const Json& entry = value.get_array()[i];
    const std::string place = pointer_to(pointer, i);
    if (!entry.is_string()) return wrong_kind("args", "string", entry);
    const std::string_view text = as_text(entry);
    if (trim(text).empty()) continue;
    Status read = argument(node, text, place);
    if (!read) return std::unexpected(located(std::move(read.error()), place));
    if (!seen.insert(declared_.back()).second) {
      Refusal twice =
          fail("duplicate_arg", {{"name", clip(tree_.names[declared_.back()].text)}}).error();
      return std::unexpected(located(std::move(twice), place));
    }
  }
  return {};
}

Status Compiler::argument(Node& node, std::string_view entry, const std::string& pointer) {
  const Entry read = read_entry(entry);
  if (!is_name(read.name)) return fail("invalid_arg_name", {{"name", clip(read.name)}});
  const Slot slot = this->slot(read.name);
  declared_.push_back(slot);
  if (!usage_[slot].declared_at) usage_[slot].declared_at = place(pointer);
  if (tree_.names[slot].generated && !reserved_) {
    reserved_ = located(fail("reserved_name", {{"name", std::string(read.name)}}).error(), pointer);
  }
  if (read.type) {
    const Result<Type> type = parse_type(*read.type);
    if (!type) return std::unexpected(type.error());
    if (Status taken = take_type(slot, *type); !taken) return taken;
  }
  // An explicit default of the same node wins (CT-45).
  if (!read.fallback || (explicit_ != nullptr && explicit_->contains(read.name))) return {};
  return add_default(node, slot, Json(*read.fallback), pointer);
}

Status Compiler::read_defaults(Node& node, const Json& value, const std::string& pointer) {
  if (!value.is_object()) return wrong_kind("defaults", "object", value);
  for (const auto& [name, entry] : value.get_object()) {
    const Slot key = slot(name);
    const std::string at = pointer_to(pointer, name);
    if (!usage_[key].default_at) usage_[key].default_at = place(at);
    Status added = add_default(node, key, entry, at);
    if (!added) return std::unexpected(located(std::move(added.error()), at));
  }
  return {};
}

Status Compiler::add_default(Node& node, Slot slot, const Json& value, const std::string& pointer) {
  Default entry{.slot = slot, .place = place(pointer)};
  usage_[slot].has_default = true;
  if (value.is_string()) {
    if (Status paid = charge(value.get_string().size()); !paid) return paid;
    Result<Pieces> read = pieces(as_text(value), Origin::kDefault);
    if (!read) return std::unexpected(read.error());
    const bool literal = std::all_of(read->begin(), read->end(), [](const Piece& piece) {
      return piece.kind == Piece::Kind::kText;
    });
    if (!literal) entry.pieces = *std::move(read);
  }
  if (entry.pieces.empty()) entry.value = value;
  node.defaults.push_back(std::move(entry));
  return {};
}

// Only now it is known which references mean a sibling (CT-54), and where the entries lie for good.
void Compiler::finish_defaults(Node& node) {
  std::unordered_set<Slot> keys;
  for (const Default& entry : node.defaults) keys.insert(entry.slot);
  const auto sibling = [&](Slot slot, const Default& entry) {
    return slot != entry.slot && keys.contains(slot);
  };
  for (Default& entry : node.defaults) {
    if (entry.pieces.empty()) pending_.push_back({&entry.value, entry.slot, entry.place});
    if (entry.pieces.size() != 1) continue;
    const Piece& piece = entry.pieces.front();
    const bool name = piece.kind == Piece::Kind::kName && !piece.extra;
    const bool item = piece.kind == Piece::Kind::kItem;
    const bool index_is_sibling =
        item && piece.extra->index_is_name && sibling(piece.extra->index_slot, entry);
    entry.early = (name || item) && !sibling(piece.slot, entry) && !index_is_sibling;
  }
}

size_t Compiler::place(const std::string& pointer) {
  if (places_.empty() || places_.back() != pointer) places_.push_back(pointer);
  return places_.size() - 1;
}

// Untyped agrees with everything, and so does string (CT-43).
Status Compiler::take_type(Slot slot, const Type& type) {
  Name& name = tree_.names[slot];
  if (takes_all(name.type) || takes_all(type)) {
    if (takes_all(name.type)) name.type = type;
    name.typed = true;
    return {};
  }
  if (name.type == type) return {};
  return fail("type_conflict", {{"name", clip(name.text)},
                                {"one", clip(type_text(name.type))},
                                {"other", clip(type_text(type))}});
}

Status Compiler::check_pending() {
  for (Pending& pending : pending_) {
    const Name& name = tree_.names[pending.slot];
    if (!pending.value->is_null() && !takes_all(name.type)) {
      std::optional<Json> form = in_form(name.type, *pending.value);
      if (!form) {
        Refusal refusal = fail("invalid_default",
                               {{"name", clip(name.text)}, {"expected", expected_form(name.type)}})
                              .error();
        return std::unexpected(located(std::move(refusal), places_[pending.place]));
      }
      *pending.value = *std::move(form);
    }
    note_literal(pending);
  }
  return {};
}

// The schema names a default only where all places agree on it.
void Compiler::note_literal(const Pending& pending) {
  Usage& usage = usage_[pending.slot];
  if (!usage.literal) usage.literal = *pending.value;
  if (*usage.literal != *pending.value) usage.defaults_differ = true;
}

// Declared ones, then those used in templates and controls, then those only in defaults.
void Compiler::list_arguments() {
  tree_.is_argument.resize(tree_.names.size());
  const auto add = [&](Slot slot) {
    if (!tree_.is_argument[slot]) tree_.arguments.push_back(argument_of(slot));
    tree_.is_argument[slot] = true;
  };
  std::for_each(declared_.begin(), declared_.end(), add);
  for (const bool late : {false, true}) {
    for (const Slot slot : used_) {
      if (usage_[slot].only_in_defaults == late) add(slot);
    }
  }
}

// As declared, else as the uses of the name suggest.
Type Compiler::type_of(Slot slot) const {
  const Usage& usage = usage_[slot];
  Type type = tree_.names[slot].type;
  if (tree_.names[slot].typed || !usage.used) return type;
  if (usage.all_flags) type.kind = Type::Kind::kBool;
  if (usage.any_array) type.kind = Type::Kind::kArray;
  return type;
}

Argument Compiler::argument_of(Slot slot) const {
  const Usage& usage = usage_[slot];
  Argument out{.name = tree_.names[slot].text, .type = type_of(slot)};
  out.required = !usage.has_default && !(usage.used && usage.all_optional);
  if (usage.literal && !usage.defaults_differ) {
    out.literal_default = schema_value(out.type, *usage.literal);
  }
  return out;
}

}  // namespace helve::tmpl
