#include "cli/cli.h"

#include "base/text.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "host/check.h"
#include "host/conform.h"
#include "host/doctor.h"
#include "host/init.h"
#include "host/jobs_command.h"
#include "host/run.h"
#include "host/serve.h"
#include "host/tools.h"

namespace helve::cli {
namespace {

using host::Console;
using host::Surroundings;

host::Locations locations(const Invocation& invocation) {
  return {.root = invocation.value("--root"), .config = invocation.value("--config")};
}

std::string first_operand(const Invocation& invocation) {
  return invocation.operands.empty() ? "" : invocation.operands.front();
}

int run_tool(const Invocation& invocation, Console& console, const Surroundings& around) {
  host::RunCommand command{.inline_template = invocation.value("--template"),
                           .words = invocation.operands,
                           .values = invocation.value("--values"),
                           .jobs = invocation.value("--jobs"),
                           .report = invocation.value("--report"),
                           .locations = locations(invocation),
                           .dry_run = invocation.has("--dry-run"),
                           .json = invocation.has("--json"),
                           .quiet = invocation.has("--quiet"),
                           .tail = invocation.has("--tail"),
                           .standard_input = invocation.has("--stdin")};
  if (!invocation.has("--template")) {
    command.tool = command.words.front();
    command.words.erase(command.words.begin());
  }
  return host::run_command(command, console, around);
}

int check(const Invocation& invocation, Console& console, const Surroundings& around) {
  return host::check({.path = first_operand(invocation),
                      .locations = locations(invocation),
                      .json = invocation.has("--json"),
                      .schema = invocation.has("--schema")},
                     console, around);
}

int doctor(const Invocation& invocation, Console& console, const Surroundings& around) {
  return host::doctor({.locations = locations(invocation), .json = invocation.has("--json")},
                      console, around);
}

int tools(const Invocation& invocation, Console& console, const Surroundings& around) {
  return host::tools({.name = first_operand(invocation),
                      .locations = locations(invocation),
                      .json = invocation.has("--json"),
                      .names = invocation.has("--names")},
                     console, around);
}

int init(const Invocation& invocation, Console& console, const Surroundings& around) {
  return host::init(locations(invocation), console, around);
}

// "a,b": the words of an option that takes several.
std::vector<std::string> several(const Invocation& invocation, std::string_view option) {
  std::vector<std::string> words;
  const std::string value = invocation.value(option);
  for (const std::string_view word : split(value, ',')) {
    if (!trim(word).empty()) words.emplace_back(trim(word));
  }
  return words;
}

host::ServeCommand serve_command(const Invocation& invocation) {
  return {.locations = locations(invocation),
          .listen = invocation.value("--listen"),
          .hosts = several(invocation, "--allow-host"),
          .origins = several(invocation, "--allow-origin"),
          .print_config = invocation.value("--print-config")};
}

int mcp(const Invocation& invocation, Console& console, const Surroundings& around) {
  return host::mcp_command(serve_command(invocation), console, around);
}

int serve(const Invocation& invocation, Console& console, const Surroundings& around) {
  return host::serve_command(serve_command(invocation), console, around);
}

int jobs(const Invocation& invocation, Console& console, const Surroundings& around) {
  return host::jobs_command({.words = invocation.operands,
                             .locations = locations(invocation),
                             .json = invocation.has("--json")},
                            console, around);
}

int conform(const Invocation& invocation, Console& console, const Surroundings& around) {
  return host::conform(first_operand(invocation), console, around);
}

int usage_error(const Refusal& refusal, Console& console) {
  host::print_refusal(console, refusal);
  return host::kUsage;
}

int completions(const Invocation& invocation, Console& console, const Surroundings&) {
  const std::string shell = first_operand(invocation);
  const std::optional<std::string> script = completion_script(shell);
  if (!script)
    return usage_error(refuse("usage.unknown_shell", {{"shell", shell}}).error(), console);
  console.out << *script;
  return host::kDone;
}

int man(const Invocation&, Console& console, const Surroundings&) {
  console.out << man_page();
  return host::kDone;
}

int version(const Invocation&, Console& console, const Surroundings&) {
  console.out << version_text();
  return host::kDone;
}

int help(const Invocation& invocation, Console& console, const Surroundings&) {
  const std::string name = first_operand(invocation);
  const Command* command = find_command(name);
  if (command == nullptr && !name.empty()) return usage_error(unknown_command(name), console);
  console.out << help_text(command);
  return host::kDone;
}

// `helve run TOOL --help` is about the tool.
int show_help(const Invocation& invocation, Console& console, const Surroundings& around) {
  const Command* command = invocation.command;
  const bool about_tool = command != nullptr && command->name == "run" &&
                          !invocation.operands.empty() && !invocation.has("--template");
  if (about_tool) return tools(invocation, console, around);
  console.out << help_text(command);
  return host::kDone;
}

// Somebody who types `helve log` may mean the tool.
Refusal explained(Refusal refusal, const std::vector<std::string>& words,
                  const Surroundings& around) {
  if (refusal.rule != "usage.unknown_command") return refusal;
  const std::string word = refusal.args.front().second;
  const host::Config config = host::load(locations(parse_front(words)), around);
  if (config.find(word) == nullptr) return refusal;
  return refuse("usage.command_is_tool", {{"tool", word}}).error();
}

struct Action {
  std::string_view command;
  int (*act)(const Invocation&, Console&, const Surroundings&);
};

constexpr Action kActions[] = {
    {"run", run_tool}, {"tools", tools},
    {"check", check},  {"doctor", doctor},
    {"init", init},    {"conform", conform},
    {"mcp", mcp},      {"serve", serve},
    {"jobs", jobs},    {"completions", completions},
    {"man", man},      {"version", version},
    {"help", help},
};

}  // namespace

int run(const std::vector<std::string>& words, Console& console, const Surroundings& around) {
  const Result<Invocation> invocation = parse(words);
  if (!invocation) return usage_error(explained(invocation.error(), words, around), console);
  if (invocation->has("--help")) return show_help(*invocation, console, around);
  for (const Action& action : kActions) {
    if (invocation->command != nullptr && action.command == invocation->command->name) {
      return action.act(*invocation, console, around);
    }
  }
  console.err << help_text(nullptr);
  return host::kUsage;
}

}  // namespace helve::cli
