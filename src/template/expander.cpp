#include "template/detail/expander.h"

#include <algorithm>
#include <limits>

#include "template/detail/controls.h"

namespace helve::tmpl {
namespace {

Step::Kind kind_of(const Node& node) {
  if (node.body == Node::Body::kLeaf) return Step::Kind::kLeaf;
  return node.joins() ? Step::Kind::kParallel : Step::Kind::kSequence;
}

std::string below(const std::string& path, std::string_view part) {
  std::string out;
  out.reserve(path.size() + part.size() + 1);
  out += path;
  if (!path.empty()) out += '.';
  out += part;
  return out;
}

// Saturated, which is beyond every limit.
size_t product(size_t a, std::int64_t b) {
  size_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return std::numeric_limits<size_t>::max();
  return out;
}

template <typename T>
std::unexpected<Refusal> at(Result<T>& failed, const Node& node, std::string_view member) {
  return std::unexpected(located(std::move(failed.error()), node.member(member)));
}

}  // namespace

Result<Plan> Expander::run(const JsonObject& values) {
  if (Status taken = resolver_.take_values(values); !taken) return std::unexpected(taken.error());
  resolver_.hide(place_.secret);
  Plan plan;
  Result<Step> root = node(tree_.root, "");
  if (!root) return std::unexpected(root.error());
  plan.root = *std::move(root);
  plan.leaves = leaves_;
  if (plan.root.skip != Step::Skip::kNo) return plan;
  Result<Selected> selection = selected(tree_.root);
  if (!selection) return at(selection, tree_.root, "output");
  plan.selected = *std::move(selection);
  return plan;
}

Result<std::int64_t> Expander::root_count(const JsonObject& values) {
  if (Status taken = resolver_.take_values(values); !taken) return std::unexpected(taken.error());
  return count(tree_.root);
}

Result<Step> Expander::node(const Node& node, std::string path) {
  return node.repeat ? instances(node, path) : instance(node, std::move(path));
}

// The group that the instances form has the node's failure and nothing else (CT-62, CT-63).
Result<Step> Expander::instances(const Node& node, const std::string& path) {
  Step group{.kind = node.parallel ? Step::Kind::kParallel : Step::Kind::kSequence,
             .path = path,
             .failure = node.failure};
  Result<std::int64_t> number = count(node);
  if (!number) return at(number, node, "repeat");
  if (*number == 0) {
    group.skip = Step::Skip::kRepeatZero;
    group.failure.reset();
    return group;
  }
  const size_t copies = only_ ? 1 : static_cast<size_t>(*number);
  if (copies > tree_.limits.nodes - std::min(nodes_, tree_.limits.nodes)) {
    Status refused = over_limit("nodes", tree_.limits.nodes);
    return at(refused, node, "repeat");
  }
  group.children.reserve(copies);
  const std::int64_t first = only_.value_or(0);
  for (std::int64_t k = first; k < first + static_cast<std::int64_t>(copies); ++k) {
    const auto outer = resolver_.exchange_instance(Instance{.index = k, .repeat = *number});
    Result<Step> step = instance(node, path + '#' + std::to_string(k));
    resolver_.exchange_instance(outer);
    if (!step) return step;
    step->repeat_index = k;
    group.children.push_back(*std::move(step));
  }
  return group;
}

// Taken outside the instances, but with the node's own defaults.
Result<std::int64_t> Expander::count(const Node& node) {
  const Repeat repeat = node.repeat.value_or(Repeat{.count = 1});
  if (!repeat.by_length) return repeat.count;
  const Result<Resolver::Mark> mark = resolver_.enter(node);
  if (!mark) return std::unexpected(mark.error());
  Result<std::int64_t> size = array_size(repeat.array);
  resolver_.leave(*mark);
  return size;
}

Result<std::int64_t> Expander::array_size(Slot slot) {
  const Result<Value> array = resolver_.lookup(slot);
  if (!array) return std::unexpected(array.error());
  const std::string name = clip(tree_.names[slot].text);
  if (!array->exists()) return fail("missing_value", {{"name", name}});
  const Json& value = array->get();
  if (!value.is_array()) {
    return fail("not_an_array", {{"name", name}, {"kind", std::string(json_kind(value))}});
  }
  return static_cast<std::int64_t>(value.get_array().size());
}

Result<Step> Expander::instance(const Node& node, std::string path) {
  Step step{.kind = kind_of(node), .path = std::move(path)};
  if (++nodes_ > tree_.limits.nodes) {
    return std::unexpected(located(over_limit("nodes", tree_.limits.nodes).error(), node.pointer));
  }
  Result<Resolver::Mark> mark = resolver_.enter(node);
  if (!mark) return at(mark, node, "defaults");
  step.label = label(node.label);
  Result<bool> runs = condition(node.when);
  if (!runs) return at(runs, node, "when");
  if (*runs) {
    if (Status filled = fill(node, step); !filled) return std::unexpected(filled.error());
  } else {
    step.skip = Step::Skip::kWhen;
  }
  resolver_.leave(*mark);
  return step;
}

// A bare name that is missing is false; what a default leads to is an error all the same (CT-65).
Result<bool> Expander::condition(const When& when) {
  if (when.kind == When::Kind::kAlways || when.kind == When::Kind::kNever) {
    return when.kind == When::Kind::kAlways;
  }
  const Piece& piece = when.pieces.front();
  if (piece.kind == Piece::Kind::kName && !piece.extra) {
    const Result<Value> found = resolver_.lookup(piece.slot);
    if (!found) return std::unexpected(found.error());
    return (found->exists() && is_truthy(found->get())) != when.negated;
  }
  const Result<Value> value = resolver_.resolve(piece);
  if (!value) return std::unexpected(value.error());
  return is_truthy(value->get());
}

Status Expander::fill(const Node& node, Step& step) {
  step.failure = node.failure;
  if (Status done = controls(node, step); !done) return done;
  if (&node != &tree_.root) {
    if (Status done = output(node.output, step); !done) return at(done, node, "output");
  }
  const size_t around = attempts_around_;
  attempts_around_ = product(around, step.retry);
  Status done = node.body == Node::Body::kLeaf ? leaf(node, step) : children(node, step);
  attempts_around_ = product(around, step.retry - 1);  // CT-89: not after the last one
  if (done && node.recover) done = recover(node, step);
  attempts_around_ = around;
  return done;
}

Status Expander::leaf(const Node& node, Step& step) {
  const size_t limit = tree_.limits.attempts;
  if (attempts_around_ > limit - std::min(attempts_, limit)) {
    return std::unexpected(located(over_limit("attempts", limit).error(), node.pointer));
  }
  attempts_ += attempts_around_;
  if (Status done = words(node, step); !done) return at(done, node, "template");
  if (recovering_ == 0) ++leaves_;
  return {};
}

Status Expander::recover(const Node& node, Step& step) {
  ++recovering_;
  Result<Step> made = this->node(*node.recover, below(step.path, "recover"));
  --recovering_;
  if (!made) return std::unexpected(made.error());
  step.recover = std::make_unique<Step>(*std::move(made));
  return {};
}

Status Expander::controls(const Node& node, Step& step) {
  struct Row {
    const Control& control;
    std::string_view member, error;
    std::int64_t value = 0;
  };
  Row rows[] = {{node.timeout, "timeout", "invalid_timeout"},
                {node.delay, "delay", "invalid_delay"},
                {node.retry, "retry", "invalid_retry", 1}};
  for (Row& row : rows) {
    if (row.control.value) row.value = *row.control.value;
    if (row.control.pieces.empty()) continue;
    std::string text;
    Status done = resolver_.append(text, row.control.pieces);
    if (!done) return at(done, node, row.member);
    Result<std::optional<std::int64_t>> value = control_value(Json(text), row.error);
    if (!value) return at(value, node, row.member);
    row.value = value->value_or(row.value);
  }
  step.timeout = Duration(rows[0].value);
  step.delay = Duration(rows[1].value);
  step.retry = rows[2].value;
  return {};
}

Status Expander::children(const Node& node, Step& step) {
  step.children.reserve(node.children.size());
  for (size_t i = 0; i < node.children.size(); ++i) {
    const bool only = node.body == Node::Body::kObject;
    const std::string part = only ? "template" : "template[" + std::to_string(i) + ']';
    Result<Step> child = this->node(node.children[i], below(step.path, part));
    if (!child) return std::unexpected(child.error());
    step.children.push_back(*std::move(child));
  }
  return {};
}

Status Expander::charge(size_t bytes) {
  bytes_ += bytes;
  if (bytes_ <= tree_.limits.plan_bytes) return {};
  return over_limit("plan_bytes", tree_.limits.plan_bytes);
}

}  // namespace helve::tmpl
