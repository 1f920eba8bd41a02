// Remarks about a template that compiles (CT-4, CT-20, CT-36, CT-98).
#include <algorithm>

#include "base/text.h"
#include "template/detail/compiler.h"
#include "template/detail/risk.h"

namespace helve::tmpl {
namespace {

constexpr std::string_view kForeign[] = {"concurrency", "min_successful", "accept_output",
                                         "async",       "imports",        "values"};
constexpr std::string_view kRetired[] = {"pipe", "critical", "mode", "command"};

bool holds(const auto& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// A word that is one placeholder whose value may begin with a dash.
bool may_be_an_option(const CompiledWord& word, const Tree& tree) {
  if (!is_single_placeholder(word.pieces)) return false;
  const Piece& piece = word.pieces.front();
  if (piece.kind == Piece::Kind::kConditional || piece.kind == Piece::Kind::kArithmetic) {
    return false;
  }
  const Type::Kind type = tree.names[piece.slot].type.kind;
  return type != Type::Kind::kBool && type != Type::Kind::kEnum;
}

bool has_placeholder(const CompiledWord& word) {
  return std::any_of(word.pieces.begin(), word.pieces.end(),
                     [](const Piece& piece) { return piece.kind != Piece::Kind::kText; });
}

}  // namespace

// Fields that are not ours belong to the host, unless ignoring them would change what runs.
Status Compiler::check_field(const Node&, std::string_view name, const std::string& pointer) {
  if (depth_ == 1 && holds(options_.host_fields, name)) return {};
  if (holds(kForeign, name)) return fail("foreign_field", {{"field", std::string(name)}});
  if (holds(kRetired, name)) {
    warn("retired_field", pointer, {{"field", std::string(name)}});
    return {};
  }
  std::vector<std::string_view> portable;
  for (const Field& field : fields()) portable.push_back(field.name);
  if (const std::string_view meant = closest(name, portable); !meant.empty()) {
    warn("unknown_field", pointer, {{"field", clip(name)}, {"meant", std::string(meant)}});
  }
  return {};
}

void Compiler::lint_leaf(const Node& node, const std::vector<Word>& words, const SplitLints& lints,
                         const std::string& pointer) {
  if (lints.backslash) {
    warn("lint_backslash", pointer, {{"offset", std::to_string(*lints.backslash)}});
  }
  if (lints.blank) warn("lint_blank", pointer, {{"offset", std::to_string(*lints.blank)}});
  const auto torn = std::find_if(words.begin(), words.end(),
                                 [](const Word& word) { return has_unbalanced_braces(word.text); });
  if (torn != words.end()) {
    warn("lint_braces", pointer,
         {{"word", clip(torn->text)}, {"offset", std::to_string(torn->offset)}});
  }
  if (has_placeholder(node.words.front())) {
    warn("dynamic_executable", pointer, {{"word", clip(words.front().text)}});
  }
  for (size_t i = 1; i < words.size() && words[i].text != "--"; ++i) {
    if (!may_be_an_option(node.words[i], tree_)) continue;
    warn("option_injection", pointer, {{"word", clip(words[i].text)}});
    break;
  }
  add_risks(words, pointer);
}

void Compiler::add_risks(const std::vector<Word>& words, const std::string& pointer) {
  for (const Risk& risk : risks_of(words)) {
    warn("risk_" + std::string(risk.label), pointer, {{"word", clip(risk.word)}});
    risk_seen_[risk.order] = true;
  }
}

void Compiler::warn(std::string_view rule, const std::string& pointer, Texts args) {
  args.emplace_back("node", pointer.empty() ? "/" : pointer);
  tree_.findings.push_back({.severity = Finding::Severity::kWarning,
                            .pointer = pointer,
                            .what = fail(rule, std::move(args)).error()});
}

}  // namespace helve::tmpl
