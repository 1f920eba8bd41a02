#include <limits>

#include "schema/detail/evaluator.h"

namespace helve::schema {
namespace {

// Bookending (section 8.2.3.2 of the core): the outermost resource with the anchor wins.
const Node* dynamic_target(const Node& node, const Scope* scope) {
  const Node* target = node.dynamic_reference;
  if (node.dynamic_anchor.empty()) return target;
  for (; scope != nullptr; scope = scope->outer) {
    const auto& anchors = scope->resource->dynamic_anchors;
    if (const auto found = anchors.find(node.dynamic_anchor); found != anchors.end()) {
      target = found->second;
    }
  }
  return target;
}

}  // namespace

bool Evaluator::references(const Frame& frame) {
  bool valid = true;
  if (frame.node.reference != nullptr) valid = same(frame.node.reference, frame);
  if (!valid && stops()) return false;
  if (frame.node.dynamic_reference == nullptr) return valid;
  return same(dynamic_target(frame.node, frame.scope), frame) && valid;
}

bool Evaluator::combinators(const Frame& frame) {
  const Node& node = frame.node;
  bool valid = true;
  for (const Node* part : node.all_of) {
    valid = same(part, frame) && valid;
    if (!valid && stops()) return false;
  }
  if (!node.any_of.empty()) valid = any_of(frame) && valid;
  if (!node.one_of.empty()) valid = one_of(frame) && valid;
  if (node.negation != nullptr) {
    const Frame unseen{node, frame.instance, frame.place, frame.scope, nullptr};
    if (quiet(node.negation, unseen)) valid = fail(frame, "not", "schema.violation.not");
  }
  if (!valid && stops()) return false;
  if (node.condition != nullptr) valid = conditions(frame) && valid;
  return valid;
}

bool Evaluator::conditions(const Frame& frame) {
  const Node* next =
      quiet(frame.node.condition, frame) ? frame.node.consequence : frame.node.alternative;
  return next == nullptr || same(next, frame);
}

bool Evaluator::any_of(const Frame& frame) {
  bool valid = false;
  for (const Node* part : frame.node.any_of) {
    valid = quiet(part, frame) || valid;
    if (valid && frame.seen == nullptr) return true;  // else every branch counts as seen
  }
  if (valid || violations_ == nullptr) return valid;
  fail(frame, "anyOf", "schema.violation.any_of",
       {{"count", std::to_string(frame.node.any_of.size())}});
  report_closest(frame, frame.node.any_of);
  return false;
}

bool Evaluator::one_of(const Frame& frame) {
  const std::vector<const Node*>& parts = frame.node.one_of;
  size_t matched = 0;
  for (const Node* part : parts) {
    matched += quiet(part, frame) ? 1 : 0;
    if (matched > 1) {
      return fail(frame, "oneOf", "schema.violation.one_of_many",
                  {{"count", std::to_string(parts.size())}});
    }
  }
  if (matched == 1 || violations_ == nullptr) return matched == 1;
  fail(frame, "oneOf", "schema.violation.one_of_none", {{"count", std::to_string(parts.size())}});
  report_closest(frame, parts);
  return false;
}

// Of alternatives that all fail, the one with the fewest violations tells the reader most.
void Evaluator::report_closest(const Frame& frame, const std::vector<const Node*>& branches) {
  std::vector<Violation>* const all = violations_;
  std::vector<Violation> best;
  for (const Node* branch : branches) {
    if (exhausted_ || all->size() >= most_) break;
    std::vector<Violation> found;
    violations_ = &found;
    same(branch, frame);
    const bool of_another_kind = found.size() == 1 && found[0].keyword == "type" &&
                                 found[0].instance == pointer_of(frame.place);
    if (!of_another_kind && (best.empty() || found.size() < best.size())) best = std::move(found);
  }
  violations_ = all;
  for (Violation& one : best) {
    if (all->size() < most_) all->push_back(std::move(one));
  }
}

}  // namespace helve::schema
