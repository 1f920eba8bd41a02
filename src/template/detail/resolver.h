// template/detail/resolver.h
//
// The scopes of one expansion and the one lookup routine for all forms (CT-34). Scopes are a slot
// table with an undo list: entering a node binds its defaults, leaving it restores what was there.
// Text from call-time values, items and inline defaults is final (CT-30); only defaults are
// resolved further, within the limit of hops. One thread; lives as long as one expansion.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "template/detail/compiled.h"
#include "template/detail/errors.h"
#include "template/detail/value.h"
#include "template/parts.h"

namespace helve::tmpl {

class Resolver {
 public:
  explicit Resolver(const Tree& tree);

  // Call-time values in the form of their types; null and unknown names are left out. `values` must
  // outlive the resolver. Refused: template.invalid_value.
  Status take_values(const JsonObject& values);
  void hide(const std::vector<std::string>& secret);

  // Binds the node's defaults over what is there; leave(mark) undoes it.
  struct Mark {
    size_t undo = 0;
    size_t arena = 0;
  };
  Result<Mark> enter(const Node& node);
  void leave(Mark mark);

  // The instance that generated names mean from now on; returns the one before. A `repeat` of 0
  // means none.
  Instance exchange_instance(Instance instance) { return std::exchange(instance_, instance); }

  // A value that does not exist if the name has none. Refused: what a default leads to.
  Result<Value> lookup(Slot slot, size_t hops = 0);

  Result<Value> resolve(const Piece& piece, size_t hops = 0);

  // Refused also beyond the limit on argument bytes.
  Status append(std::string& out, const Piece& piece, size_t hops = 0);
  Status append(std::string& out, const Pieces& pieces, size_t hops = 0);

  // The first `limit` bytes of what append() adds, and not many more.
  Status append_start(std::string& out, const Piece& piece, size_t limit);

  // Whether a secret value has been used since the last call.
  bool take_secret_use() { return std::exchange(secret_used_, false); }
  bool hides_anything() const { return !secret_.empty(); }

 private:
  // What a default name is bound to.
  struct Bound {
    enum class Kind : std::uint8_t { kNone, kDefault, kNumber, kValue, kItem };
    Kind kind = Kind::kNone;
    size_t padding = 0;
    std::int64_t number = 0;          // kNumber, and a literal index of kItem
    const Default* source = nullptr;  // kDefault
    const Json* value = nullptr;      // kValue
    const Bound* base = nullptr;      // kItem
    const Bound* index = nullptr;     // kItem; null: `number`
    std::string_view digits;          // kItem: `number` as written
    Slot base_slot = 0;               // kItem: whose value `base` is
    bool secret = false;              // copied from a secret name
  };

  bool is_generated(Slot slot) const { return instance_.repeat > 0 && tree_.names[slot].generated; }
  bool is_secret(Slot slot) const { return !secret_.empty() && secret_[slot]; }
  std::int64_t generated(Generated which) const;
  Bound bind(const Default& entry);
  std::optional<Bound> early(const Default& entry);
  std::optional<Bound> known(Slot slot) const;
  std::optional<Bound> early_item(const Piece& piece, const Bound& base);
  const Bound* keep(const Bound& bound);
  Status spend(size_t work);

  Result<Value> value_of(Slot slot, const Bound& bound, size_t hops);
  Result<Value> raw_value_of(const Bound& bound, size_t hops);
  Result<Value> default_value(const Default& entry, size_t hops);
  Result<Value> item_of(const Bound& bound, size_t hops);
  Result<Value> resolve_name(const Piece& piece, size_t hops);
  Result<Value> resolve_choice(const Piece& piece, size_t hops);
  Result<Value> resolve_item(const Piece& piece, size_t hops);
  Result<Value> resolve_arithmetic(const Piece& piece, size_t hops);
  Result<std::int64_t> operand(Slot slot, size_t hops);
  Status check_size(const std::string& out) const;

  const Tree& tree_;
  std::vector<const Json*> values_;  // by slot
  std::deque<Json> formed_;          // values that had to change form
  std::vector<bool> secret_;         // by slot; empty: none is
  std::vector<Bound> bound_;         // by slot
  std::vector<std::pair<Slot, Bound>> undo_;
  std::deque<Bound> arena_;
  Instance instance_{.repeat = 0};
  size_t work_left_;
  bool secret_used_ = false;
};

// "files[index]": the item of an array value. Refused: not_an_array, invalid_index,
// index_out_of_range.
Result<std::uint64_t> index_number(const Json& value, std::string_view name);

}  // namespace helve::tmpl
