#include <algorithm>

#include "base/text.h"
#include "base/texts.h"
#include "schema/detail/evaluator.h"
#include "schema/detail/numbers.h"

namespace helve::schema {
namespace {

constexpr size_t kMaxDepth = 1280;  // the instance is at most 256 deep; each level takes a few
constexpr std::uint64_t kMaxSteps = 1U << 23U;  // subschemas applied; about a second

constexpr std::pair<std::string_view, unsigned> kTypes[] = {
    {"string", kString}, {"integer", kInteger}, {"number", kNumber}, {"boolean", kBoolean},
    {"array", kArray},   {"object", kObject},   {"null", kNull}};

std::string type_names(unsigned types) {
  std::string out;
  for (const auto& [name, bit] : kTypes) {
    if ((types & bit) != 0) out += (out.empty() ? "" : " | ") + std::string(name);
  }
  return out;
}

// A value as a violation shows it: short, and cheap for a large one.
std::string brief(const Json& value) {
  constexpr size_t kShown = 60;
  if (value.is_array() || value.is_object()) return std::string(json_kind(value));
  if (value.is_string() && as_text(value).size() > kShown) {
    const std::string_view all = as_text(value);
    std::string out;
    append_json_string(out, all.substr(0, utf8_floor(all, kShown)));
    return out + "…";
  }
  return write_json(value);
}

}  // namespace

unsigned type_bit(std::string_view wanted) {
  for (const auto& [name, bit] : kTypes) {
    if (name == wanted) return bit;
  }
  return 0;
}

unsigned type_bits(const Json& value) {
  if (value.is_number()) return is_whole(value) ? kInteger | kNumber : kNumber;
  return type_bit(json_kind(value));
}

std::string pointer_of(const Place& place) {
  if (place.up == nullptr) return "";
  const std::string up = pointer_of(*place.up);
  return place.in_array ? pointer_to(up, place.index) : pointer_to(up, place.key);
}

void Seen::mark(size_t index) {
  if (index >= some_.size()) some_.resize(index + 1);
  some_[index] = true;
}

void Seen::merge(const Seen& other) {
  all_ = all_ || other.all_;
  if (some_.size() < other.some_.size()) some_.resize(other.some_.size());
  for (size_t i = 0; i < other.some_.size(); ++i) {
    if (other.some_[i]) some_[i] = true;
  }
}

bool Evaluator::accepts(const Json& instance) {
  const Place root;
  return visit(*program_.root, instance, root, nullptr, nullptr) && !exhausted_;
}

bool Evaluator::visit(const Node& node, const Json& instance, const Place& place,
                      const Scope* scope, Seen* seen) {
  if (node.kind == Node::Kind::kAlways) return true;
  if (exhausted_ || ++steps_ > kMaxSteps || depth_ >= kMaxDepth) {
    return give_up(place, node.pointer);
  }
  const Scope entered{scope, node.resource};
  const bool enters = program_.dynamic && (scope == nullptr || scope->resource != node.resource);
  const bool tracks = seen != nullptr || node.unevaluated_items != nullptr ||
                      node.unevaluated_properties != nullptr;
  Seen own;
  ++depth_;
  const bool valid = rules({.node = node,
                            .instance = instance,
                            .place = place,
                            .scope = enters ? &entered : scope,
                            .seen = tracks ? &own : nullptr});
  --depth_;
  if (valid && seen != nullptr) seen->merge(own);
  return valid;
}

bool Evaluator::rules(const Frame& frame) {
  if (frame.node.kind == Node::Kind::kNever) {
    return fail(frame, "false", "schema.violation.never");
  }
  if (!types(frame)) return false;  // the rest would only repeat it
  using Rule = bool (Evaluator::*)(const Frame&);
  static constexpr Rule kRules[] = {
      &Evaluator::values, &Evaluator::numbers, &Evaluator::strings,     &Evaluator::references,
      &Evaluator::arrays, &Evaluator::objects, &Evaluator::combinators, &Evaluator::unevaluated};
  bool valid = true;
  for (const Rule rule : kRules) {
    valid = (this->*rule)(frame) && valid;
    if (!valid && stops()) return false;
  }
  return valid;
}

bool Evaluator::same(const Node* node, const Frame& frame) {
  return visit(*node, frame.instance, frame.place, frame.scope, frame.seen);
}

bool Evaluator::quiet(const Node* node, const Frame& frame) {
  std::vector<Violation>* const violations = std::exchange(violations_, nullptr);
  const bool valid = same(node, frame);
  violations_ = violations;
  return valid;
}

bool Evaluator::fail(const Frame& frame, std::string_view keyword, std::string_view key,
                     Texts args) {
  if (violations_ == nullptr || violations_->size() >= most_) return false;
  const bool real = keyword != "false";
  violations_->push_back(
      {.instance = pointer_of(frame.place),
       .schema = real ? pointer_to(frame.node.pointer, keyword) : frame.node.pointer,
       .keyword = std::string(keyword),
       .message = text(key, args)});
  return false;
}

bool Evaluator::give_up(const Place& place, const std::string& pointer) {
  if (!exhausted_ && violations_ != nullptr && violations_->size() < most_) {
    violations_->push_back({.instance = pointer_of(place),
                            .schema = pointer,
                            .keyword = "limit",
                            .message = text("schema.violation.limit")});
  }
  exhausted_ = true;
  return false;
}

bool Evaluator::types(const Frame& frame) {
  const unsigned wanted = frame.node.types;
  if (wanted == 0 || (wanted & type_bits(frame.instance)) != 0) return true;
  if (violations_ == nullptr) return false;
  return fail(frame, "type", "schema.violation.type",
              {{"expected", type_names(wanted)}, {"found", brief(frame.instance)}});
}

bool Evaluator::values(const Frame& frame) {
  const Node& node = frame.node;
  if (node.constant != nullptr && !same_value(*node.constant, frame.instance)) {
    if (violations_ == nullptr) return false;
    return fail(frame, "const", "schema.violation.const",
                {{"expected", brief(*node.constant)}, {"found", brief(frame.instance)}});
  }
  if (node.enumeration == nullptr) return true;
  for (const Json& one : *node.enumeration) {
    if (same_value(one, frame.instance)) return true;
  }
  if (violations_ == nullptr) return false;
  constexpr size_t kListed = 20;
  std::vector<std::string> listed;
  for (const Json& one : *node.enumeration) {
    listed.push_back(listed.size() < kListed ? brief(one) : "…");
    if (listed.size() > kListed) break;
  }
  return fail(frame, "enum", "schema.violation.enum",
              {{"expected", join(listed, ", ")}, {"found", brief(frame.instance)}});
}

bool Evaluator::numbers(const Frame& frame) {
  const Node& node = frame.node;
  if (!frame.instance.is_number()) return true;
  const auto failed = [&](const Json* limit, std::string_view keyword, std::string_view key) {
    return fail(frame, keyword, key,
                {{"limit", write_json(*limit)}, {"found", write_json(frame.instance)}});
  };
  const auto against = [&](const Json* limit) { return compare_numbers(frame.instance, *limit); };
  bool valid = true;
  if (node.minimum != nullptr && against(node.minimum) < 0) {
    valid = failed(node.minimum, "minimum", "schema.violation.minimum");
  }
  if (node.maximum != nullptr && against(node.maximum) > 0) {
    valid = failed(node.maximum, "maximum", "schema.violation.maximum");
  }
  if (node.exclusive_minimum != nullptr && against(node.exclusive_minimum) <= 0) {
    valid =
        failed(node.exclusive_minimum, "exclusiveMinimum", "schema.violation.exclusive_minimum");
  }
  if (node.exclusive_maximum != nullptr && against(node.exclusive_maximum) >= 0) {
    valid =
        failed(node.exclusive_maximum, "exclusiveMaximum", "schema.violation.exclusive_maximum");
  }
  if (node.multiple_of != nullptr && !is_multiple(frame.instance, *node.multiple_of)) {
    valid = failed(node.multiple_of, "multipleOf", "schema.violation.multiple_of");
  }
  return valid;
}

bool Evaluator::strings(const Frame& frame) {
  const Node& node = frame.node;
  if (!frame.instance.is_string()) return true;
  const std::string_view subject = as_text(frame.instance);
  bool valid = true;
  if (node.min_length > 0 || node.max_length != Node::kUnbounded) {
    const size_t length = count_characters(subject);
    const auto failed = [&](size_t limit, std::string_view keyword, std::string_view key) {
      return fail(frame, keyword, key,
                  {{"limit", std::to_string(limit)}, {"found", std::to_string(length)}});
    };
    if (length < node.min_length) {
      valid = failed(node.min_length, "minLength", "schema.violation.min_length");
    }
    if (length > node.max_length) {
      valid = failed(node.max_length, "maxLength", "schema.violation.max_length");
    }
  }
  if (node.pattern != nullptr && !matches(frame, *node.pattern, subject)) {
    if (stops()) return false;
    return fail(frame, "pattern", "schema.violation.pattern",
                {{"pattern", std::string(node.pattern_source)}, {"found", brief(frame.instance)}});
  }
  return valid;
}

bool Evaluator::matches(const Frame& frame, const Pattern& pattern, std::string_view subject) {
  const Pattern::Answer answer = pattern.search(subject);
  if (answer == Pattern::Answer::kTooHard) return give_up(frame.place, frame.node.pointer);
  return answer == Pattern::Answer::kYes;
}

}  // namespace helve::schema
