// Remarks about one node of a template that compiles (CT-4, CT-20, CT-36, CT-97).
#include <algorithm>

#include "base/text.h"
#include "template/detail/compiler.h"
#include "template/detail/lint_words.h"
#include "template/detail/risk.h"

namespace helve::tmpl {
namespace {

constexpr std::string_view kForeign[] = {"concurrency", "min_successful", "accept_output",
                                         "async",       "imports",        "values"};
constexpr std::string_view kRetired[] = {"pipe", "critical", "mode", "command"};

bool holds(const auto& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
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
                         std::string_view text, const std::string& pointer) {
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
  if (const Word* word = first_shell_word(words, node.words, text); word != nullptr) {
    warn("lint_shell", pointer,
         {{"word", clip(word->text)}, {"offset", std::to_string(word->offset)}});
  }
  add_risks(node, words, pointer);
}

// Once per member.
void Compiler::lint_nesting(std::string_view text, size_t from, Span inner) {
  if (nested_in_ == member_) return;
  const std::optional<Nesting> nesting = nesting_around(text, from, inner);
  if (!nesting) return;
  warn("lint_nested", member_, {{"outer", clip(nesting->outer)}, {"name", clip(nesting->name)}});
  nested_in_ = member_;
}

void Compiler::add_risks(const Node& node, const std::vector<Word>& words,
                         const std::string& pointer) {
  for (const Risk& risk : risks_of(words)) {
    const bool masked = risk.label == "secret_touching" && masks_secrets(node, words);
    const std::string rule = masked ? "secret_masked" : std::string(risk.label);
    warn("risk_" + rule, pointer, {{"word", clip(risk.word)}});
    risk_seen_[risk.order] = true;
  }
}

// Whether each word that names a secret, or else the word behind it, holds masked arguments alone.
bool Compiler::masks_secrets(const Node& node, const std::vector<Word>& words) const {
  bool any = false;
  for (size_t i = 0; i < words.size(); ++i) {
    if (!touches_secret(words[i].text)) continue;
    const bool next = !has_placeholder(node.words[i]) && i + 1 < words.size();
    if (!is_masked(node.words[next ? i + 1 : i])) return false;
    any = true;
  }
  return any;
}

bool Compiler::is_masked(const CompiledWord& word) const {
  const auto masked = [&](const Piece& piece) {
    if (piece.kind == Piece::Kind::kText) return true;
    return piece.kind != Piece::Kind::kArithmetic &&
           holds(options_.secret, tree_.names[piece.slot].text);
  };
  return has_placeholder(word) && std::all_of(word.pieces.begin(), word.pieces.end(), masked);
}

void Compiler::warn(std::string_view rule, const std::string& pointer, Texts args) {
  args.emplace_back("node", pointer.empty() ? "/" : pointer);
  tree_.findings.push_back({.severity = Finding::Severity::kWarning,
                            .pointer = pointer,
                            .what = fail(rule, std::move(args)).error()});
}

}  // namespace helve::tmpl
