#include "template/detail/launcher.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/text.h"
#include "template/detail/types.h"

namespace helve::tmpl {
namespace {

// The options of a program whose value is the next word: letters, and long names with a blank
// before each. `positionals` words stand before the program that a launcher starts.
struct Program {
  std::string_view name, letters, long_names;
  size_t positionals = 0;
};

constexpr Program kLaunchers[] = {
    {"env", "uCSa", " unset chdir split-string argv0"},
    {"sudo", "ugCDhpRrtTU",
     " user group close-from chdir host prompt chroot role type command-timeout other-user"},
    {"doas", "uC", ""},
    {"nohup", "", ""},
    {"nice", "n", " adjustment"},
    {"time", "fo", " format output"},
    {"timeout", "ks", " kill-after signal", 1},
    {"xargs", "IEadLnPs", " arg-file delimiter max-args max-procs max-chars process-slot-var"},
    {"setsid", "", ""},
    {"stdbuf", "ioe", " input output error"},
};

constexpr std::string_view kNpmOptions =
    " prefix workspace registry userconfig cache tag otp loglevel access";
constexpr Program kWithSubcommands[] = {
    {"git", "Cc", " git-dir work-tree namespace config-env super-prefix attr-source"},
    {"npm", "Cw", kNpmOptions},
    {"pnpm", "CF", " dir filter registry userconfig cache tag otp loglevel access"},
    {"yarn", "", " cwd registry tag otp access"},
};

// How many texts of `env -S` are looked into.
constexpr size_t kMostSplits = 8;

const Program* find(std::span<const Program> programs, std::string_view name) {
  const auto found = std::find_if(programs.begin(), programs.end(),
                                  [&](const Program& known) { return known.name == name; });
  return found == programs.end() ? nullptr : &*found;
}

// `--sig` is `--signal`, as getopt_long has it.
bool is_long(std::string_view word, std::string_view long_names) {
  if (!word.starts_with("--") || word.size() < 3) return false;
  return long_names.find(' ' + std::string(word.substr(2))) != std::string_view::npos;
}

// In a cluster the first letter with a value takes the rest of the word, or else the next one.
bool takes_next(const Program& program, std::string_view word) {
  if (word.starts_with("--")) return is_long(word, program.long_names);
  return word.find_first_of(program.letters, 1) == word.size() - 1;
}

bool is_assignment(std::string_view word) {
  const size_t name = name_length(word);
  return name > 0 && name < word.size() && word[name] == '=';
}

// Where the program begins that a launcher starts; the number of words if there is none.
size_t launched_at(const Program& launcher, Words words) {
  size_t at = 1;
  size_t positionals = launcher.positionals;
  for (; at < words.size(); ++at) {
    const std::string_view word = words[at].text;
    if (is_option(word)) {
      if (takes_next(launcher, word)) ++at;
    } else if (!is_assignment(word) && positionals-- == 0) {
      break;
    }
  }
  return std::min(at, words.size());
}

// The text that `env` is to split into words, and where the other words go on.
struct Split {
  std::string_view text;
  size_t next = 0;
};

std::optional<Split> split_at(Words words, size_t at) {
  const std::string_view word = words[at].text;
  const size_t equals = word.find('=');
  const bool by_name = is_long(word.substr(0, equals), " split-string");
  const size_t letter = word.find_first_of("uCSa", 1);
  const bool by_letter =
      !word.starts_with("--") && letter != std::string_view::npos && word[letter] == 'S';
  if (!by_name && !by_letter) return std::nullopt;
  const size_t attached = by_name ? equals : letter;
  const bool here = attached != std::string_view::npos && (by_name || attached + 1 < word.size());
  if (here) return Split{word.substr(attached + 1), at + 1};
  if (at + 1 == words.size()) return std::nullopt;
  return Split{words[at + 1].text, at + 2};
}

// `env -S 'bash -c x' y` with the words of the text in its place; empty if there is no such text.
std::vector<Word> with_text_split(const Program& launcher, Words words) {
  if (launcher.name != "env") return {};
  const size_t end = launched_at(launcher, words);
  for (size_t at = 1; at < end; ++at) {
    if (!is_option(words[at].text)) continue;
    const std::optional<Split> found = split_at(words, at);
    if (!found) {
      if (takes_next(launcher, words[at].text)) ++at;
      continue;
    }
    Result<std::vector<Word>> inner = split_words(found->text);
    if (!inner) return {};
    std::vector<Word> out = {words.front()};
    std::move(inner->begin(), inner->end(), std::back_inserter(out));
    const Words rest = words.subspan(found->next);
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  }
  return {};
}

}  // namespace

std::string program_name(std::string_view word) {
  const size_t slash = word.rfind('/');
  return lower_ascii(slash == std::string_view::npos ? word : word.substr(slash + 1));
}

bool is_option(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

std::vector<Word> command_within(const std::vector<Word>& words) {
  std::vector<Word> held;
  Words rest = words;
  size_t splits = 0;
  while (const Program* launcher = find(kLaunchers, program_name(rest.front().text))) {
    std::vector<Word> split;
    if (splits < kMostSplits) split = with_text_split(*launcher, rest);
    if (!split.empty()) {
      ++splits;
      held = std::move(split);
      rest = held;
      continue;
    }
    const size_t at = launched_at(*launcher, rest);
    if (at == rest.size()) break;
    rest = rest.subspan(at);
  }
  return {rest.begin(), rest.end()};
}

std::string_view subcommand(std::string_view program, Words args) {
  static constexpr Program kOther{"", "Cc", ""};
  const Program* known = find(kWithSubcommands, program);
  for (size_t at = 0; at < args.size(); ++at) {
    const std::string_view word = args[at].text;
    if (!is_option(word)) return word;
    if (takes_next(known != nullptr ? *known : kOther, word)) ++at;
  }
  return {};
}

}  // namespace helve::tmpl
