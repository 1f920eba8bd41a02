// cli/options.h
//
// The commands and options of `helve` as one table. Parsing, --help, the man page and the shell
// completions are all made from it; the words are lines of texts/en/cli.txt. Constants.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::cli {

enum class Completes { kNothing, kFile, kFolder, kTool, kShell, kCommand };

struct Option {
  std::string_view name;    // "--jobs"
  std::string_view letter;  // "-j", or ""
  std::string_view value;   // "N"; "" for a flag
  Completes completes = Completes::kNothing;
  bool hidden = false;  // works, but is not shown
};

struct Command {
  std::string_view name;
  std::string_view operands;  // "TOOL [NAME=VALUE...]", or ""
  size_t most_operands = 0;
  Completes completes = Completes::kNothing;
  std::vector<Option> options;
};

std::span<const Command> commands();
std::span<const Option> global_options();  // in front of the command or behind it

const Command* find_command(std::string_view name);

// "  -t, --template TEMPLATE"
std::string option_heading(const Option& option);

// The sentence about an option; that of the command wins over the common one.
std::string option_text(const Command* command, const Option& option);

}  // namespace helve::cli
