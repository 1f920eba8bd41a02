// template/parts.h
//
// The small pure parts of command templates one by one, for `helve conform` and for tests: words of
// one template string, one leaf in its scopes, a text inside a repeat instance, a repeat count.
// Whole trees are template.h. Refusals are those of template.h. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/refusal.h"

namespace helve::tmpl {

struct Word {
  std::string text;
  bool quoted = false;  // a pair of quotes occurred in it (CT-12)
  size_t offset = 0;    // of its first byte in the template
  bool operator==(const Word&) const = default;
};

// CT-9 to CT-17. Refused: template.unterminated_quote {offset}, template.nul_byte {offset}.
Result<std::vector<Word>> split_words(std::string_view text);

// The error class of the format (CT section 18) behind a rule of ours: "missing_value" for
// `template.missing_value`. Rules of other areas come back as they are.
std::string error_class(const Refusal& refusal);

// CT-70: an absolute path for a word with a slash or a leading `~`, else the word itself for PATH.
std::string resolve_program(std::string_view word, const std::string& cwd, const std::string& home);

// Which copy of a repeated node (CT-56): 0 <= index < repeat.
struct Instance {
  std::int64_t index = 0;
  std::int64_t repeat = 1;
};

// One leaf in its scopes. `outer` lists the enclosing nodes, outermost first: objects with `args`
// and `defaults`. Absent members are null.
struct LeafCase {
  std::string text;
  Json args = nullptr;
  Json defaults = nullptr;
  JsonArray outer;
  std::optional<Instance> instance;
  JsonObject values;
  std::string cwd, home;
};

struct Leaf {
  std::vector<std::string> argv;
  std::string program;
};

Result<Leaf> expand_leaf(const LeafCase& leaf);

// `text` as one quoted word: its placeholders replaced in the given instance.
Result<std::string> replace_text(std::string_view text, Instance instance,
                                 const JsonObject& values);

// CT-57: how many instances a `repeat` member asks for; 0 skips the node.
Result<std::int64_t> repeat_count(const Json& repeat, const JsonObject& values);

}  // namespace helve::tmpl
