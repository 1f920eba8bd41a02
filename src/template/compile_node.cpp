// The walk over the nodes: shapes, bodies, words.
#include <algorithm>

#include "template/detail/compiler.h"

namespace helve::tmpl {
namespace {

// Where the placeholder at `at` of the word stands in the template; the word itself where quotes or
// escapes are in its midst. An equal one in front of it would have been refused first.
size_t offset_of(const Word& word, size_t at, std::string_view text) {
  const std::optional<Span> span = next_placeholder(word.text, at);
  if (!span) return word.offset;
  const std::string_view whole =
      std::string_view(word.text).substr(span->begin, span->end - span->begin);
  const size_t found = text.find(whole, word.offset);
  return found == std::string_view::npos ? word.offset : found;
}

}  // namespace

Result<Tree> compile_tree(const Json& source, const Options& options) {
  return Compiler(options).run(source);
}

Result<Tree> Compiler::run(const Json& source) && {
  Result<Node> root = node(source, "", 1);
  if (!root) return std::unexpected(root.error());
  tree_.root = *std::move(root);
  if (reserved_ && any_repeat_) return std::unexpected(*reserved_);
  if (Status checked = check_pending(); !checked) return std::unexpected(checked.error());
  list_arguments();
  lint_tree(tree_.root);
  lint_names();
  for (size_t i = 0; i < kRiskLabels.size(); ++i) {
    if (risk_seen_[i]) tree_.risks.push_back("risk." + std::string(kRiskLabels[i]));
  }
  return std::move(tree_);
}

// The limits are looked at before anything below the node is.
Result<Node> Compiler::node(const Json& value, std::string pointer, size_t depth) {
  Node out{.pointer = std::move(pointer)};
  Status read = depth <= tree_.limits.depth ? Status() : over_limit("depth", tree_.limits.depth);
  if (read && ++nodes_ > tree_.limits.nodes) read = over_limit("nodes", tree_.limits.nodes);
  if (read) {
    const size_t outer = std::exchange(depth_, depth);
    const JsonObject* outer_defaults = std::exchange(explicit_, nullptr);
    member_ = out.pointer;
    read = value.is_object() ? object(out, value.get_object()) : body(out, value, out.pointer);
    explicit_ = outer_defaults;
    depth_ = outer;
  }
  if (read) return out;
  return std::unexpected(located(std::move(read.error()), out.pointer));
}

Status Compiler::object(Node& node, const JsonObject& members) {
  node.as_object = true;
  if (!members.contains("template")) return fail("missing_template");
  const bool repeats = members.contains("repeat");
  const bool declares = members.contains("args");
  if (repeats) ++repeats_around_;
  if (declares) ++args_around_;
  any_repeat_ = any_repeat_ || repeats;
  const Json* defaults = members.if_contains("defaults");
  if (defaults != nullptr && defaults->is_object()) explicit_ = &defaults->get_object();
  for (const auto& [name, value] : members) {
    const std::string pointer = pointer_to(node.pointer, name);
    Status read = member(node, name, value, pointer);
    if (!read) return std::unexpected(located(std::move(read.error()), pointer));
  }
  finish_defaults(node);
  if (declares) --args_around_;
  if (repeats) --repeats_around_;
  return {};
}

Status Compiler::member(Node& node, std::string_view name, const Json& value,
                        const std::string& pointer) {
  member_ = pointer;
  const std::vector<Field>& known = fields();
  const auto field = std::find_if(known.begin(), known.end(),
                                  [&](const Field& candidate) { return candidate.name == name; });
  if (field == known.end()) return check_field(node, name, pointer);
  return (this->*field->read)(node, value, pointer);
}

const std::vector<Compiler::Field>& Compiler::fields() {
  static const std::vector<Field> kFields = {
      {"template", &Compiler::read_template}, {"label", &Compiler::read_label},
      {"parallel", &Compiler::read_parallel}, {"when", &Compiler::read_when},
      {"args", &Compiler::read_args},         {"defaults", &Compiler::read_defaults},
      {"timeout", &Compiler::read_timeout},   {"delay", &Compiler::read_delay},
      {"output", &Compiler::read_output},     {"retry", &Compiler::read_retry},
      {"failure", &Compiler::read_failure},   {"recover", &Compiler::read_recover},
      {"repeat", &Compiler::read_repeat},
  };
  return kFields;
}

Status Compiler::read_template(Node& node, const Json& value, const std::string& pointer) {
  return body(node, value, pointer);
}

Status Compiler::read_recover(Node& node, const Json& value, const std::string& pointer) {
  if (!value.is_string() && !value.is_array() && !value.is_object()) {
    return wrong_kind("recover", "node", value);
  }
  Result<Node> recover = this->node(value, pointer, depth_ + 1);
  if (!recover) return std::unexpected(recover.error());
  node.recover = std::make_unique<Node>(*std::move(recover));
  return {};
}

Status Compiler::body(Node& node, const Json& value, const std::string& pointer) {
  if (value.is_string()) return leaf(node, as_text(value), pointer);
  if (value.is_object()) {  // CT-2: a sequence of one
    node.body = Node::Body::kObject;
    Result<Node> child = this->node(value, pointer, depth_ + 1);
    if (!child) return std::unexpected(child.error());
    node.children.push_back(*std::move(child));
    return {};
  }
  if (!value.is_array()) return wrong_kind("template", "node", value);
  if (value.get_array().empty()) return fail("empty_template");
  node.body = Node::Body::kArray;
  for (size_t i = 0; i < value.get_array().size(); ++i) {
    Result<Node> child = this->node(value.get_array()[i], pointer_to(pointer, i), depth_ + 1);
    if (!child) return std::unexpected(child.error());
    node.children.push_back(*std::move(child));
  }
  return {};
}

Status Compiler::leaf(Node& node, std::string_view text, const std::string& pointer) {
  if (text.size() > tree_.limits.template_bytes) {
    return over_limit("template_bytes", tree_.limits.template_bytes);
  }
  if (Status paid = charge(text.size()); !paid) return paid;
  SplitLints lints;
  const Result<std::vector<Word>> words = split(text, tree_.limits.words, &lints);
  if (!words) return std::unexpected(words.error());
  if (words->empty() || words->front().text.empty()) return fail("empty_command");
  for (const Word& each : *words) {
    if (Status read = word(node, each, text); !read) return read;
  }
  lint_leaf(node, *words, lints, text, pointer);
  return {};
}

Status Compiler::word(Node& node, const Word& word, std::string_view text) {
  failed_at_ = std::string::npos;
  Result<Pieces> read = pieces(word.text, Origin::kBody);
  if (!read) {
    const size_t offset = offset_of(word, failed_at_, text);
    return std::unexpected(in_word(std::move(read.error()), word.text, offset));
  }
  note_texts(*read);
  CompiledWord out{.pieces = *std::move(read), .source = clip(word.text), .offset = word.offset};
  const bool choices = std::all_of(out.pieces.begin(), out.pieces.end(), [](const Piece& piece) {
    return piece.kind == Piece::Kind::kFallback || piece.kind == Piece::Kind::kConditional;
  });
  out.droppable = choices && !word.quoted && !out.pieces.empty();
  node.words.push_back(std::move(out));
  return {};
}

}  // namespace helve::tmpl
