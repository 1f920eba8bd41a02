#include "template/detail/lint_words.h"

#include <algorithm>

#include "template/detail/types.h"
#include "template/detail/words.h"

namespace helve::tmpl {
namespace {

constexpr std::string_view kOperators[] = {"|", "||", "|&", "&", "&&"};
constexpr std::string_view kRedirections[] = {">", "<", "1>", "2>", "&>"};

// Quotes and escapes say that the word is meant as it stands.
bool is_bare(const Word& word, std::string_view text) {
  return !word.quoted && word.text.find('\\') == std::string::npos &&
         text.substr(word.offset).starts_with(word.text);
}

bool is_operator(std::string_view word) {
  const auto begins = [&](std::string_view mark) { return word.starts_with(mark); };
  return std::find(std::begin(kOperators), std::end(kOperators), word) != std::end(kOperators) ||
         std::any_of(std::begin(kRedirections), std::end(kRedirections), begins) ||
         word.ends_with(';');
}

// `$HOME`, `${HOME}`, `$(pwd)`.
bool is_variable(std::string_view word) {
  if (word.size() < 2 || word.front() != '$') return false;
  return word[1] == '{' || word[1] == '(' || name_length(word.substr(1)) > 0;
}

// A star in a placeholder is arithmetic or a text for values, and a question mark is common there.
bool has_glob(const Pieces& pieces) {
  return std::any_of(pieces.begin(), pieces.end(), [](const Piece& piece) {
    return piece.kind == Piece::Kind::kText && piece.text.find('*') != std::string::npos;
  });
}

bool is_argument_for_a_shell(std::string_view word, const Pieces& pieces) {
  return word.starts_with("~/") || has_glob(pieces);
}

std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

// The name in `name?`, `!name?`, `name=` or `name:`, else "".
std::string_view opened_name(std::string_view content) {
  content = skip_blanks(content);
  const bool negated = content.starts_with('!');
  if (negated) content.remove_prefix(1);
  const std::string_view name = content.substr(0, name_length(content));
  std::string_view rest = content.substr(name.size());
  if (name.empty()) return {};
  if (skip_blanks(rest).starts_with('?')) return name;
  if (negated || rest.empty()) return {};
  if (rest.front() == '=') return name;
  // `{key: ` and `{key:"` are data of other languages, as no type begins like this.
  const bool data = rest.size() > 1 && (is_blank(rest[1]) || rest[1] == '"' || rest[1] == '\'');
  return rest.front() == ':' && !data ? name : std::string_view();
}

}  // namespace

const Word* first_shell_word(const std::vector<Word>& words,
                             const std::vector<CompiledWord>& compiled, std::string_view text) {
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i].text;
    const bool argument = i > 0 && is_argument_for_a_shell(word, compiled[i].pieces);
    if ((argument || is_operator(word) || is_variable(word)) && is_bare(words[i], text)) {
      return &words[i];
    }
  }
  return nullptr;
}

std::optional<Nesting> nesting_around(std::string_view text, size_t from, Span inner) {
  const std::string_view before = text.substr(from, inner.begin - from);
  const size_t open = before.rfind('{');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view content = before.substr(open + 1);
  const std::string_view name = opened_name(content);
  if (name.empty() || content.find('}') != std::string_view::npos) return std::nullopt;
  const size_t close = text.find('}', inner.end);
  if (close == std::string_view::npos) return std::nullopt;
  return Nesting{.outer = text.substr(from + open, close + 1 - from - open), .name = name};
}

}  // namespace helve::tmpl
