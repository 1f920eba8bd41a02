// Shell completions. Sub-commands and options are written into the script; tool names and the
// arguments of a tool are asked from `helve tools --names` when they are needed.
#include "base/text.h"
#include "base/texts.h"
#include "cli/help.h"

namespace helve::cli {
namespace {

std::string command_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return join(names, " ");
}

std::vector<Option> all_options(const Command& command) {
  std::vector<Option> all;
  for (const Option& option : command.options) {
    if (!option.hidden) all.push_back(option);
  }
  all.insert(all.end(), global_options().begin(), global_options().end());
  return all;
}

std::string option_names(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : all_options(command)) names.emplace_back(option.name);
  return join(names, " ");
}

std::string global_names() {
  std::vector<std::string> names = {"--version"};
  for (const Option& option : global_options()) names.emplace_back(option.name);
  return join(names, " ");
}

// `NAME) options=... kind=... ;;` for each command; bash and zsh share it.
std::string cases() {
  std::string out = "    '') options='" + global_names() + "' ;;\n";
  for (const Command& command : commands()) {
    const char* kind = "none";
    if (command.completes == Completes::kTool) kind = "tool";
    if (command.completes == Completes::kFile) kind = "file";
    if (command.completes == Completes::kShell) kind = "shell";
    if (command.completes == Completes::kCommand) kind = "command";
    out += "    " + std::string(command.name) + ") options='" + option_names(command) +
           "' kind=" + kind + " ;;\n";
  }
  return out;
}

constexpr char kBash[] = {
#embed "completions/helve.bash"
};

constexpr char kZsh[] = {
#embed "completions/helve.zsh"
};

std::string filled(std::string_view script) {
  std::string out(script);
  const std::pair<std::string, std::string> places[] = {{"@COMMANDS@", command_names()},
                                                        {"@CASES@", cases()}};
  for (const auto& [place, value] : places) {
    for (size_t at; (at = out.find(place)) != std::string::npos;) {
      out.replace(at, place.size(), value);
    }
  }
  return out;
}

std::string fish_quote(const std::string& words) {
  std::string out = "'";
  for (const char c : words) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_option(const std::string& condition, const Command* command,
                        const Option& option) {
  std::string line = "complete -c helve" + condition + " -l " + std::string(option.name.substr(2));
  if (!option.letter.empty()) line += " -s " + std::string(option.letter.substr(1));
  if (!option.value.empty()) line += " -r";
  if (option.completes == Completes::kFile) line += " -F";
  if (option.completes == Completes::kFolder) line += " -a '(__fish_complete_directories)'";
  return line + " -d " + fish_quote(option_text(command, option)) + '\n';
}

std::string fish_command(const Command& command) {
  const std::string name(command.name);
  const std::string inside = " -n '__fish_seen_subcommand_from " + name + "'";
  std::string out = "complete -c helve -n __fish_use_subcommand -a " + name + " -d " +
                    fish_quote(text("help." + name + ".summary")) + '\n';
  for (const Option& option : command.options) {
    if (!option.hidden) out += fish_option(inside, &command, option);
  }
  if (command.completes == Completes::kFile) out += "complete -c helve" + inside + " -F\n";
  if (command.completes == Completes::kShell) {
    out += "complete -c helve" + inside + " -a 'bash zsh fish'\n";
  }
  if (command.completes == Completes::kCommand) {
    out += "complete -c helve" + inside + " -a '" + command_names() + "'\n";
  }
  if (command.completes == Completes::kTool) {
    out += "complete -c helve" + inside + " -a '(helve tools --names 2>/dev/null)'\n";
  }
  return out;
}

std::string fish_script() {
  std::string out = "complete -c helve -f\n";
  for (const Option& option : global_options()) out += fish_option("", nullptr, option);
  for (const Command& command : commands()) out += fish_command(command);
  return out +
         "complete -c helve -n '__fish_seen_subcommand_from run' -a '(set -l words (commandline"
         " -opc); test (count $words) -gt 2; and helve tools $words[3] --names "
         "2>/dev/null)'\n";
}

}  // namespace

std::optional<std::string> completion_script(std::string_view shell) {
  if (shell == "bash") return filled({kBash, sizeof kBash});
  if (shell == "zsh") return filled({kZsh, sizeof kZsh});
  if (shell == "fish") return fish_script();
  return std::nullopt;
}

}  // namespace helve::cli
