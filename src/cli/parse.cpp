#include "cli/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.h"
#include "base/texts.h"

namespace helve::cli {
namespace {

constexpr std::string_view kVersionWords[] = {"--version", "-V"};

std::string hint(std::string_view word, const std::vector<std::string_view>& candidates) {
  const std::string_view close = closest(word, candidates);
  return close.empty() ? "" : text("usage.hint", {{"name", std::string(close)}});
}

std::vector<Option> options_of(const Command* command) {
  std::vector<Option> all;
  if (command != nullptr) all = command->options;
  all.insert(all.end(), global_options().begin(), global_options().end());
  return all;
}

std::string name_of(const Command* command) {
  return command == nullptr ? "helve" : "helve " + std::string(command->name);
}

// The first word that is neither an option nor the value of a global one.
size_t find_command_word(const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) return i;
    const auto option = std::ranges::find(global_options(), words[i], &Option::name);
    if (option != global_options().end() && !option->value.empty()) ++i;
  }
  return words.size();
}

std::string cli11_name(const Option& option) {
  return option.letter.empty() ? std::string(option.name)
                               : std::string(option.letter) + ',' + std::string(option.name);
}

std::unexpected<Refusal> refuse_extra(const std::string& word, const Command* command) {
  if (!word.starts_with('-')) {
    return refuse("usage.operand_unexpected", {{"operand", word}, {"command", name_of(command)}});
  }
  const std::vector<Option> options = options_of(command);
  std::vector<std::string_view> names;
  for (const Option& option : options) names.push_back(option.name);
  return refuse("usage.unknown_option",
                {{"option", word}, {"command", name_of(command)}, {"hint", hint(word, names)}});
}

// CLI11 names the option in front of its message: "--values: 1 required TEXT missing".
std::string option_in(const CLI::ParseError& error) {
  const std::string message = error.what();
  return message.substr(0, message.find(':'));
}

class Reader {
 public:
  explicit Reader(const Command* command) : options_(options_of(command)) {
    invocation_.command = command;
    app_.set_help_flag();
    app_.allow_extras();
    for (const Option& option : options_) add(option);
    if (command != nullptr && command->most_operands > 0) {
      app_.add_option("operands", invocation_.operands)->expected(-1);
    }
  }

  Result<Invocation> read(std::vector<std::string> words) {
    std::ranges::reverse(words);  // as CLI11 wants them
    try {
      app_.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
      return refuse("usage.value_missing",
                    {{"option", option_in(error)}, {"command", name_of(invocation_.command)}});
    }
    std::vector<std::string> extras = app_.remaining();
    std::erase(extras, "--");  // the mark itself
    if (!extras.empty()) return refuse_extra(extras.front(), invocation_.command);
    return take();
  }

 private:
  void add(const Option& option) {
    const std::string name(option.name);
    if (option.value.empty()) {
      app_.add_flag(cli11_name(option), flags_[name]);
    } else {
      app_.add_option(cli11_name(option), texts_[name])->take_last();
    }
  }

  Result<Invocation> take() {
    for (const Option& option : options_) {
      const std::string name(option.name);
      if (app_.count(name) == 0) continue;
      invocation_.values[name] = option.value.empty() ? "" : texts_[name];
    }
    return check_operands();
  }

  Result<Invocation> check_operands() {
    const Command* command = invocation_.command;
    if (command == nullptr || invocation_.has("--help")) return std::move(invocation_);
    const size_t count = invocation_.operands.size();
    const bool needed = !command->operands.empty() && !command->operands.starts_with('[');
    if (needed && count == 0 && !invocation_.has("--template")) {
      return refuse("usage.operand_missing",
                    {{"command", name_of(command)}, {"operands", std::string(command->operands)}});
    }
    if (count > command->most_operands) {
      return refuse_extra(invocation_.operands[command->most_operands], command);
    }
    return std::move(invocation_);
  }

  CLI::App app_;
  std::vector<Option> options_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, bool> flags_;
  Invocation invocation_;
};

}  // namespace

std::string Invocation::value(std::string_view option) const {
  const auto found = values.find(option);
  return found == values.end() ? "" : found->second;
}

Refusal unknown_command(const std::string& word) {
  std::vector<std::string_view> names;
  for (const Command& known : commands()) names.push_back(known.name);
  return refuse("usage.unknown_command", {{"command", word}, {"hint", hint(word, names)}}).error();
}

Invocation parse_front(const std::vector<std::string>& words) {
  const auto count = static_cast<std::ptrdiff_t>(find_command_word(words));
  return Reader(nullptr).read({words.begin(), words.begin() + count}).value_or(Invocation());
}

Result<Invocation> parse(const std::vector<std::string>& words) {
  std::vector<std::string> rest = words;
  const size_t at = find_command_word(words);
  if (at == words.size()) {
    if (std::ranges::find_first_of(words, kVersionWords) != words.end()) {
      return Invocation{.command = find_command("version")};
    }
    return Reader(nullptr).read(std::move(rest));
  }
  const Command* command = find_command(words[at]);
  if (command == nullptr) return std::unexpected(unknown_command(words[at]));
  rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
  return Reader(command).read(std::move(rest));
}

}  // namespace helve::cli
