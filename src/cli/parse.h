// cli/parse.h
//
// The words of the command line against the table of options. CLI11 does the reading; what it
// objects to becomes a refusal of ours. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/refusal.h"
#include "cli/options.h"

namespace helve::cli {

struct Invocation {
  const Command* command = nullptr;  // null: none named
  std::vector<std::string> operands;
  std::map<std::string, std::string, std::less<>> values;  // by option name; flags have ""

  bool has(std::string_view option) const { return values.contains(option); }
  std::string value(std::string_view option) const;
};

// `words` without the program's name. Refused: usage.unknown_command {command, hint},
// usage.unknown_option {option, command, hint}, usage.value_missing {option, command},
// usage.operand_missing {command, operands}, usage.operand_unexpected {operand, command}.
Result<Invocation> parse(const std::vector<std::string>& words);

// The global options in front of the command's name, for what must look at the configuration before
// the command is known. What is wrong with them is left to parse().
Invocation parse_front(const std::vector<std::string>& words);

Refusal unknown_command(const std::string& word);

}  // namespace helve::cli
