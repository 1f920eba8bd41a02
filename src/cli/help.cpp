#include "cli/help.h"

#include "base/texts.h"

namespace helve::cli {
namespace {

std::string key(const Command* command, std::string_view part) {
  const std::string name(command == nullptr ? "helve" : command->name);
  return "help." + name + '.' + std::string(part);
}

std::string usage(const Command* command) {
  if (command == nullptr) return "helve [--root FOLDER] [--config FILE] COMMAND ...";
  std::string line = "helve " + std::string(command->name);
  if (!command->options.empty()) line += ' ' + text("help.options_word");
  if (!command->operands.empty()) line.append(" ").append(command->operands);
  return line;
}

// Two columns; the first is 30 wide, and a longer heading gets a line of its own.
std::string row(const std::string& heading, const std::string& words) {
  constexpr size_t kWidth = 30;
  std::string line = "  " + heading;
  if (heading.size() + 2 < kWidth) {
    line.append(kWidth - heading.size() - 2, ' ');
  } else {
    line.append("\n").append(kWidth, ' ');
  }
  return line + words + '\n';
}

std::string option_rows(const Command* command, std::span<const Option> options) {
  std::string out;
  for (const Option& option : options) {
    if (!option.hidden) out += row(option_heading(option), option_text(command, option));
  }
  return out;
}

std::string section(std::string_view title, const std::string& body) {
  return body.empty() ? "" : '\n' + text(title) + '\n' + body;
}

std::string indented(const std::string& lines) {
  std::string out = "  ";
  for (const char c : lines) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out + '\n';
}

}  // namespace

std::string help_text(const Command* command) {
  std::string out = text(key(command, "summary")) + "\n\n" + text("help.usage") + ' ' +
                    usage(command) + "\n\n" + text(key(command, "about")) + '\n';
  if (command == nullptr) {
    std::string rows;
    for (const Command& each : commands()) {
      rows += row(std::string(each.name), text(key(&each, "summary")));
    }
    out += section("help.commands", rows);
  } else {
    out += section("help.options", option_rows(command, command->options));
  }
  if (has_text(key(command, "exit"))) {
    out += section("help.exit", indented(text(key(command, "exit"))));
  }
  out += section("help.global", option_rows(nullptr, global_options()));
  return out + section("help.examples", indented(text(key(command, "examples"))));
}

std::string version_text() { return text("version", {{"version", HELVE_VERSION}}) + '\n'; }

}  // namespace helve::cli
