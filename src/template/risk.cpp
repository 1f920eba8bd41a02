#include "template/detail/risk.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/text.h"
#include "template/detail/launcher.h"
#include "template/detail/types.h"

namespace helve::tmpl {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view kShells[] = {"bash", "sh", "zsh", "fish"};
constexpr std::string_view kScriptRuntimes[] = {"node", "deno", "bun"};
constexpr std::string_view kInterpreters[] = {"python", "python3", "perl", "ruby"};
constexpr std::string_view kMovers[] = {"mv", "cp", "rsync"};
constexpr std::string_view kNetwork[] = {"curl",  "wget", "ssh",  "scp",    "sftp",
                                         "rsync", "nc",   "ncat", "telnet", "ftp",
                                         "npm",   "pnpm", "yarn", "pip",    "cargo"};
constexpr std::string_view kGitNetwork[] = {"clone", "fetch", "pull", "push", "ls-remote"};
constexpr std::string_view kExternal[] = {"gh", "glab", "hub", "kubectl", "terraform"};
constexpr std::string_view kPackagers[] = {"npm", "pnpm", "yarn"};
constexpr std::string_view kPublishing[] = {"publish", "login", "logout", "deprecate"};
constexpr std::string_view kWaiting[] = {"sleep", "watch"};
constexpr std::string_view kEvaluating[] = {"--eval"};
constexpr std::string_view kRemoving[] = {"--recursive", "--force"};
constexpr std::string_view kFollowing[] = {"--follow"};
constexpr std::string_view kServing[] = {"--watch", "--serve", "serve"};
constexpr std::string_view kPlatform[] = {
    "systemctl", "launchctl", "osascript", "open",     "xdg-open", "powershell", "powershell.exe",
    "pwsh",      "pwsh.exe",  "cmd.exe",   "apt",      "apt-get",  "dpkg",       "dnf",
    "yum",       "rpm",       "pacman",    "zypper",   "apk",      "brew",       "port",
    "snap",      "flatpak",   "choco",     "winget",   "scoop",    "pbcopy",     "pbpaste",
    "xclip",     "xsel",      "wl-copy",   "wl-paste", "clip.exe"};
constexpr std::string_view kSecretPrograms[] = {"pass", "gpg", "ssh-add"};
constexpr std::string_view kSecretWords[] = {"secret", "secrets",    "token",
                                             "tokens", "password",   "passwords",
                                             "passwd", "credential", "credentials"};
constexpr std::string_view kSecretPairs[][2] = {{"api", "key"},     {"api", "keys"},
                                                {"private", "key"}, {"private", "keys"},
                                                {"ssh", "key"},     {"ssh", "keys"}};
constexpr std::string_view kSecretJoined[] = {"apikey", "privatekey", "sshkey"};

bool holds(Names list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// `-lc` has `c`; long options do not count.
bool has_flag(Words args, std::string_view letters) {
  return std::any_of(args.begin(), args.end(), [&](const Word& word) {
    return is_option(word.text) && word.text[1] != '-' &&
           word.text.find_first_of(letters, 1) != std::string::npos;
  });
}

bool has_word(Words args, Names list) {
  return std::any_of(args.begin(), args.end(),
                     [&](const Word& word) { return holds(list, word.text); });
}

// `--eval`, and `--eval=x` as well.
bool has_long(Words args, Names list) {
  return std::any_of(args.begin(), args.end(), [&](const Word& word) {
    return holds(list, std::string_view(word.text).substr(0, word.text.find('=')));
  });
}

bool is_risky_path(std::string_view word) {
  return word == "~" || word == "./" || word == "../" || word.starts_with('/') ||
         word.starts_with("~/") || word.find('{') != std::string_view::npos;
}

bool has_risky_path(Words args) {
  return std::any_of(args.begin(), args.end(),
                     [](const Word& word) { return is_risky_path(word.text); });
}

std::vector<std::string> parts_of(std::string_view word) {
  std::vector<std::string> parts(1);
  for (const char c : lower_ascii(word)) {
    const bool separates = (c >= 0 && c < '0') || (c > '9' && c < 'a') || (c > 'z' && c >= 0);
    if (!separates) {
      parts.back() += c;
    } else if (!parts.back().empty()) {
      parts.emplace_back();
    }
  }
  return parts;
}

bool names_dot_env(std::string_view word) {
  for (size_t at = word.find(".env"); at != std::string_view::npos;
       at = word.find(".env", at + 1)) {
    const size_t end = at + 4;
    const bool starts = at == 0 || name_length(word.substr(at - 1)) == 0;
    const bool ends = end == word.size() || name_length(word.substr(end)) == 0;
    if (starts && ends) return true;
  }
  return false;
}

}  // namespace

bool touches_secret(std::string_view word) {
  const std::vector<std::string> parts = parts_of(word);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (holds(kSecretWords, parts[i]) || holds(kSecretJoined, parts[i])) return true;
    for (const auto& [first, second] : kSecretPairs) {
      if (parts[i] == first && i + 1 < parts.size() && parts[i + 1] == second) return true;
    }
  }
  return names_dot_env(lower_ascii(word));
}

namespace {

// One leaf behind its launchers.
class Judge {
 public:
  Judge(Words all, Words words)
      : all_(all), args_(words.subspan(1)), program_(program_name(words.front().text)) {}

  bool shell() const { return holds(kShells, program_) || program_.ends_with(".sh"); }

  bool eval() const {
    if (holds(kShells, program_)) return has_flag(args_, "c");
    if (holds(kInterpreters, program_)) return has_flag(args_, "ce");
    if (!holds(kScriptRuntimes, program_)) return false;
    return has_flag(args_, "e") || has_long(args_, kEvaluating) ||
           (program_ == "deno" && subcommand(program_, args_) == "eval");
  }

  bool destructive() const {
    return program_ == "rm" &&
           (has_flag(args_, "rRf") || has_word(args_, kRemoving) || has_risky_path(args_));
  }

  bool broad_write() const { return holds(kMovers, program_) && has_risky_path(args_); }

  bool external() const {
    if (holds(kExternal, program_)) return true;
    if (program_ == "git") return subcommand(program_, args_) == "push";
    return holds(kPackagers, program_) && holds(kPublishing, subcommand(program_, args_));
  }

  bool network() const {
    return holds(kNetwork, program_) ||
           (program_ == "git" && holds(kGitNetwork, subcommand(program_, args_)));
  }

  bool long_running() const {
    if (holds(kWaiting, program_) || has_word(args_, kServing)) return true;
    return program_ == "tail" && (has_flag(args_, "fF") || has_long(args_, kFollowing));
  }

  bool platform() const { return holds(kPlatform, program_); }

  // The word that names a secret; the program itself where it handles them.
  std::optional<std::string> secret() const {
    if (holds(kSecretPrograms, program_)) return program_;
    const auto word = std::find_if(all_.begin(), all_.end(),
                                   [](const Word& each) { return touches_secret(each.text); });
    return word == all_.end() ? std::nullopt : std::optional(word->text);
  }

  const std::string& program() const { return program_; }

 private:
  Words all_, args_;
  std::string program_;
};

}  // namespace

std::vector<Risk> risks_of(const std::vector<Word>& words) {
  if (words.empty()) return {};
  const std::vector<Word> inner = command_within(words);
  const Judge judge(words, inner);
  const std::optional<std::string> secret = judge.secret();
  const bool found[] = {judge.shell(),       judge.eval(),         judge.destructive(),
                        judge.broad_write(), judge.external(),     secret.has_value(),
                        judge.network(),     judge.long_running(), judge.platform()};
  std::vector<Risk> out;
  for (size_t i = 0; i < kRiskLabels.size(); ++i) {
    if (!found[i]) continue;
    const bool by_word = kRiskLabels[i] == "secret_touching";
    out.push_back({i, kRiskLabels[i], by_word ? secret.value_or("") : judge.program()});
  }
  return out;
}

}  // namespace helve::tmpl
