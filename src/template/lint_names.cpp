// Remarks that need the whole tree: its names with their types, and what nodes have together.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "template/detail/compiler.h"

namespace helve::tmpl {
namespace {

constexpr size_t kMostNames = 100;   // that remarks are made about
constexpr size_t kLongestName = 64;  // that is looked at for misspellings
constexpr size_t kBytesPerTypo = 3;  // shorter names have too many neighbours

// A word that is one placeholder whose value may begin with a dash.
bool may_be_an_option(const CompiledWord& word, const Tree& tree) {
  if (!is_single_placeholder(word.pieces)) return false;
  const Piece& piece = word.pieces.front();
  if (piece.kind == Piece::Kind::kConditional || piece.kind == Piece::Kind::kArithmetic) {
    return false;
  }
  const Type& type = tree.names[piece.slot].type;
  switch (type.kind) {
    case Type::Kind::kInt:
    case Type::Kind::kNumber:
    case Type::Kind::kBool:
      return false;
    case Type::Kind::kEnum:
      return std::any_of(type.items.begin(), type.items.end(),
                         [](const std::string& item) { return item.starts_with('-'); });
    default:
      return true;
  }
}

// Behind a script of `sh -c` and behind the format of printf everything is data.
bool takes_no_options(const std::vector<CompiledWord>& words) {
  constexpr std::array<std::string_view, 4> kShells = {"sh", "bash", "dash", "zsh"};
  if (words.size() < 2) return false;
  const std::string_view program = words[0].source;
  if (program == "printf") return words[1].source.find('{') == std::string::npos;
  return words[1].source == "-c" && std::ranges::find(kShells, program) != kShells.end();
}

bool retries(const Node& node) {
  return !node.retry.pieces.empty() || node.retry.value.value_or(1) > 1;
}

}  // namespace

void Compiler::lint_tree(const Node& node) {
  lint_options(node);
  const bool instances = node.parallel && node.repeat && node.body == Node::Body::kArray;
  if (instances && node.children.size() > 1) {
    warn("lint_parallel_instances", node.member("template"), {});
  }
  if (node.recover && !retries(node)) warn("lint_recover", node.member("recover"), {});
  for (const Node& child : node.children) lint_tree(child);
  if (node.recover) lint_tree(*node.recover);
}

void Compiler::lint_options(const Node& node) {
  if (takes_no_options(node.words)) return;
  for (size_t i = 1; i < node.words.size() && node.words[i].source != "--"; ++i) {
    if (!may_be_an_option(node.words[i], tree_)) continue;
    warn("option_injection", node.member("template"), {{"word", node.words[i].source}});
    return;
  }
}

// A bound, since names may be as many as a text has room for.
void Compiler::lint_names() {
  const std::vector<std::string_view> known = written_names();
  const size_t enough = tree_.findings.size() + kMostNames;
  for (Slot slot = 0; slot < usage_.size() && tree_.findings.size() < enough; ++slot) {
    const Usage& usage = usage_[slot];
    const std::string name = clip(tree_.names[slot].text);
    if (usage.declared_at && !usage.used) {
      warn("lint_unused_arg", places_[*usage.declared_at], {{"name", name}});
    } else if (usage.default_at && !usage.used) {
      warn("lint_unused_default", places_[*usage.default_at], {{"name", name}});
    }
    const bool written = usage.declared_at || usage.default_at;
    if (usage.undeclared_at && !written) lint_undeclared(slot, known);
    if (usage.text_at && type_of(slot).kind == Type::Kind::kArray) {
      warn("lint_array_text", places_[*usage.text_at], {{"name", name}});
    }
  }
}

// In `args` or `defaults`: what another name may be a misspelling of.
std::vector<std::string_view> Compiler::written_names() const {
  std::vector<std::string_view> out;
  for (Slot slot = 0; slot < usage_.size() && out.size() < kMostNames; ++slot) {
    const bool written = usage_[slot].declared_at || usage_[slot].default_at;
    const std::string_view name = tree_.names[slot].text;
    if (written && name.size() <= kLongestName) out.push_back(name);
  }
  return out;
}

void Compiler::lint_undeclared(Slot slot, const std::vector<std::string_view>& known) {
  const std::string_view name = tree_.names[slot].text;
  const std::string& pointer = places_[*usage_[slot].undeclared_at];
  std::vector<std::string_view> near;
  for (const std::string_view other : known) {
    const size_t typos = other.size() / kBytesPerTypo;
    if (name.size() <= kLongestName && edit_distance(name, other, typos) <= typos) {
      near.push_back(other);
    }
  }
  const std::string_view meant = closest(name, near);
  if (meant.empty()) return warn("lint_undeclared", pointer, {{"name", clip(name)}});
  warn("lint_misspelt", pointer, {{"name", clip(name)}, {"meant", clip(meant)}});
}

}  // namespace helve::tmpl
