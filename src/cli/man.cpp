// The man page: the same words as --help, in roff.
#include "base/text.h"
#include "base/texts.h"
#include "cli/help.h"

namespace helve::cli {
namespace {

// Text that roff takes as it is: no escapes, no control lines, real hyphens.
std::string roff(std::string_view words) {
  std::string out;
  bool line_start = true;
  for (const char c : words) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

std::string options_roff(const Command* command, std::span<const Option> options) {
  std::string out;
  for (const Option& option : options) {
    if (option.hidden) continue;
    out += ".TP\n.B " + roff(trim(option_heading(option))) + '\n' +
           roff(option_text(command, option)) + '\n';
  }
  return out;
}

// Lines that keep their ends, below a title if there is one.
std::string lines_roff(const std::string& title, const std::string& lines) {
  return ".PP\n" + (title.empty() ? "" : roff(title) + '\n') + ".nf\n.RS 4\n" + roff(lines) +
         "\n.RE\n.fi\n";
}

std::string examples_roff(const std::string& name) {
  return lines_roff("", text("help." + name + ".examples"));
}

std::string command_roff(const Command& command) {
  const std::string name(command.name);
  std::string title = "helve " + name;
  if (!command.operands.empty()) title.append(" ").append(command.operands);
  const std::string exit = "help." + name + ".exit";
  return ".SS " + roff(title) + '\n' + roff(text("help." + name + ".about")) + '\n' +
         options_roff(&command, command.options) +
         (has_text(exit) ? lines_roff(text("help.exit"), text(exit)) : "") + examples_roff(name);
}

std::string heading(std::string_view key) { return ".SH " + roff(text(key)) + '\n'; }

}  // namespace

std::string man_page() {
  std::string out =
      ".TH HELVE 1 \"\" \"helve " HELVE_VERSION "\"\n" + heading("man.name") + "helve \\- " +
      roff(text("help.helve.summary")) + '\n' + heading("man.synopsis") +
      ".B helve\n[\\-\\-root FOLDER] [\\-\\-config FILE] COMMAND ...\n" +
      heading("man.description") + roff(text("help.helve.about")) + '\n' + heading("man.options") +
      options_roff(nullptr, global_options()) + heading("man.commands");
  for (const Command& command : commands()) out += command_roff(command);
  return out + heading("man.files") + roff(text("man.files_text")) + '\n' + heading("man.exit") +
         roff(text("man.exit_text")) + '\n' + heading("man.examples") + examples_roff("helve");
}

}  // namespace helve::cli
