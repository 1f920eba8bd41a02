#include "cli/options.h"

#include <algorithm>

#include "base/texts.h"

namespace helve::cli {
namespace {

constexpr size_t kAny = static_cast<size_t>(-1);

const Option kJson{.name = "--json"};

const std::vector<Option>& globals() {
  static const std::vector<Option> kGlobals = {
      {.name = "--root", .value = "FOLDER", .completes = Completes::kFolder},
      {.name = "--config", .value = "FILE", .completes = Completes::kFile},
      {.name = "--help", .letter = "-h"},
  };
  return kGlobals;
}

const std::vector<Command>& table() {
  static const std::vector<Command> kCommands = {
      {.name = "run",
       .operands = "TOOL|FILE.json [NAME=TEXT | NAME:=JSON]...",
       .most_operands = kAny,
       .completes = Completes::kTool,
       .options = {{.name = "--template", .letter = "-t", .value = "TEMPLATE"},
                   {.name = "--values", .value = "JSON|@FILE", .completes = Completes::kFile},
                   {.name = "--dry-run", .letter = "-n"},
                   {.name = "--jobs", .letter = "-j", .value = "N"},
                   {.name = "--report", .value = "FILE", .completes = Completes::kFile},
                   {.name = "--stdin"},
                   {.name = "--tail"},
                   {.name = "--quiet", .letter = "-q"},
                   kJson}},
      {.name = "tools",
       .operands = "[NAME]",
       .most_operands = 1,
       .completes = Completes::kTool,
       .options = {kJson, {.name = "--names", .hidden = true}}},
      {.name = "check",
       .operands = "[PATH]",
       .most_operands = 1,
       .completes = Completes::kFile,
       .options = {kJson, {.name = "--schema"}}},
      {.name = "doctor", .options = {kJson}},
      {.name = "init"},
      {.name = "mcp", .options = {{.name = "--print-config", .value = "HOST"}}},
      {.name = "serve",
       .options = {{.name = "--listen", .value = "ADDRESS:PORT"},
                   {.name = "--allow-host", .value = "NAME,..."},
                   {.name = "--allow-origin", .value = "ORIGIN,..."},
                   {.name = "--print-config", .value = "HOST"}}},
      {.name = "jobs", .operands = "[follow ID | stop ID]", .most_operands = 2, .options = {kJson}},
      {.name = "conform", .operands = "FILE", .most_operands = 1, .completes = Completes::kFile},
      {.name = "completions",
       .operands = "bash|zsh|fish",
       .most_operands = 1,
       .completes = Completes::kShell},
      {.name = "man"},
      {.name = "help",
       .operands = "[COMMAND]",
       .most_operands = 1,
       .completes = Completes::kCommand},
      {.name = "version"},
  };
  return kCommands;
}

}  // namespace

std::span<const Command> commands() { return table(); }
std::span<const Option> global_options() { return globals(); }

const Command* find_command(std::string_view name) {
  const auto found = std::ranges::find(table(), name, &Command::name);
  return found == table().end() ? nullptr : &*found;
}

std::string option_heading(const Option& option) {
  std::string heading = option.letter.empty() ? "    " : std::string(option.letter) + ", ";
  heading += option.name;
  if (!option.value.empty()) heading.append(" ").append(option.value);
  return heading;
}

std::string option_text(const Command* command, const Option& option) {
  const std::string name(option.name.substr(2));
  if (command != nullptr) {
    const std::string own = "option." + std::string(command->name) + '.' + name;
    if (has_text(own)) return text(own);
  }
  return text("option." + name);
}

}  // namespace helve::cli
