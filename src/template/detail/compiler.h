// template/detail/compiler.h
//
// Builds a Tree from JSON: walks the nodes in source order, interns names, reads texts into pieces,
// and gathers on the way what the arguments of the tool are (CT-46). Checks that need the types of
// all names come at the end. Used once; one thread.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "template/detail/compiled.h"
#include "template/detail/errors.h"
#include "template/detail/placeholder.h"
#include "template/detail/risk.h"
#include "template/detail/words.h"

namespace helve::tmpl {

class Compiler {
 public:
  explicit Compiler(const Options& options) : options_(options) {
    tree_.limits = options.limits;
    tree_.drop_empty_words = options.drop_empty_words;
  }
  Result<Tree> run(const Json& source) &&;

 private:
  // How a name is used; decides type and necessity of the argument (CT-46).
  enum class Form { kPlain, kOptional, kFlag, kArray };
  // Where a text stands.
  enum class Origin { kBody, kDefault, kLabel, kWhen };

  struct Usage {
    bool used = false, only_in_defaults = true;
    bool any_array = false, all_flags = true, all_optional = true;
    bool has_default = false, defaults_differ = false;
    std::optional<Json> literal;
    // Where it first is what a remark may be about; indices into places_.
    std::optional<size_t> declared_at, default_at;  // in `args`, in `defaults`
    std::optional<size_t> undeclared_at;            // used where there are `args` around
    std::optional<size_t> text_at;                  // put into a word as text
  };
  // A literal default, to be brought into the form of its type when all types are known.
  struct Pending {
    Json* value;
    Slot slot;
    size_t place;  // in places_
  };
  struct Field {
    std::string_view name;
    Status (Compiler::*read)(Node&, const Json&, const std::string& pointer);
  };
  static const std::vector<Field>& fields();

  // compile_node.cpp
  Result<Node> node(const Json& value, std::string pointer, size_t depth);
  Status object(Node& node, const JsonObject& members);
  Status member(Node& node, std::string_view name, const Json& value, const std::string& pointer);
  Status body(Node& node, const Json& value, const std::string& pointer);
  Status leaf(Node& node, std::string_view text, const std::string& pointer);
  Status word(Node& node, const Word& word, std::string_view text);
  Status read_template(Node& node, const Json& value, const std::string& pointer);
  Status read_recover(Node& node, const Json& value, const std::string& pointer);

  // compile_fields.cpp
  Status read_parallel(Node& node, const Json& value, const std::string& pointer);
  Status read_when(Node& node, const Json& value, const std::string& pointer);
  Status read_label(Node& node, const Json& value, const std::string& pointer);
  Status read_output(Node& node, const Json& value, const std::string& pointer);
  Status read_failure(Node& node, const Json& value, const std::string& pointer);
  Status read_repeat(Node& node, const Json& value, const std::string& pointer);
  Status read_timeout(Node& node, const Json& value, const std::string& pointer);
  Status read_delay(Node& node, const Json& value, const std::string& pointer);
  Status read_retry(Node& node, const Json& value, const std::string& pointer);
  Status read_control(Control& control, const Json& value, std::string_view error_class);

  // compile_args.cpp
  Status read_args(Node& node, const Json& value, const std::string& pointer);
  Status read_defaults(Node& node, const Json& value, const std::string& pointer);
  Status argument(Node& node, std::string_view entry, const std::string& pointer);
  Status add_default(Node& node, Slot slot, const Json& value, const std::string& pointer);
  void finish_defaults(Node& node);
  size_t place(const std::string& pointer);
  Status take_type(Slot slot, const Type& type);
  Status check_pending();
  void list_arguments();
  Type type_of(Slot slot) const;
  Argument argument_of(Slot slot) const;
  void note_literal(const Pending& pending);

  // compile_text.cpp
  Slot slot(std::string_view name);
  Result<Pieces> pieces(std::string_view text, Origin origin);
  Result<Piece> piece(std::string_view content, Origin origin);
  Status fill_name(Piece& piece, const Placeholder& placeholder, Origin origin);
  void fill_item(Piece& piece, const Placeholder& placeholder, Origin origin);
  Status fill_arithmetic(Piece& piece, const Placeholder& placeholder, Origin origin);
  Piece name_piece(std::string_view name, Origin origin);
  void use(Slot slot, Form form, Origin origin);
  void note_texts(const Pieces& pieces);
  Status charge(size_t bytes);

  // lint.cpp
  Status check_field(const Node& node, std::string_view name, const std::string& pointer);
  void lint_leaf(const Node& node, const std::vector<Word>& words, const SplitLints& lints,
                 std::string_view text, const std::string& pointer);
  void lint_nesting(std::string_view text, size_t from, Span inner);
  void warn(std::string_view rule, const std::string& pointer, Texts args);
  void add_risks(const Node& node, const std::vector<Word>& words, const std::string& pointer);
  bool masks_secrets(const Node& node, const std::vector<Word>& words) const;
  bool is_masked(const CompiledWord& word) const;

  // lint_names.cpp
  void lint_tree(const Node& node);
  void lint_options(const Node& node);
  void lint_names();
  std::vector<std::string_view> written_names() const;
  void lint_undeclared(Slot slot, const std::vector<std::string_view>& known);

  const Options& options_;
  Tree tree_;
  std::vector<Usage> usage_;    // by slot
  std::vector<Slot> declared_;  // in order
  std::vector<Slot> used_;      // in order of appearance, declared ones too
  std::vector<Pending> pending_;
  std::vector<std::string> places_;       // JSON pointers that later checks may have to name
  std::string member_;                    // JSON pointer of the member being read
  std::optional<std::string> nested_in_;  // the last member with a remark about nesting
  const JsonObject* explicit_ = nullptr;  // `defaults` of the node being read
  std::optional<Refusal> reserved_;       // the first declared generated name (CT-44)
  size_t depth_ = 0;
  size_t nodes_ = 0;
  size_t bytes_ = 0;      // of all texts
  size_t failed_at_ = 0;  // where in its text the placeholder begins that was refused last
  size_t repeats_around_ = 0, args_around_ = 0;
  bool any_repeat_ = false;
  std::array<bool, kRiskLabels.size()> risk_seen_ = {};
};

}  // namespace helve::tmpl
