// host/run.h
//
// `helve run`: from the words of the command line to a plan, and on to its execution. Main thread
// only; `execute` runs the event loop until the run has ended.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/config.h"
#include "host/console.h"

namespace helve::host {

// What the command line says.
struct RunCommand {
  std::string tool;                // a tool's name, or a recipe file (has a slash or ends in .json)
  std::string inline_template;     // -t: text, or JSON; then `tool` is empty
  std::vector<std::string> words;  // name=text, name:=JSON
  std::string values;              // --values: JSON or @file
  std::string jobs;                // --jobs; empty: the configuration's
  std::filesystem::path report;    // --report: where the JSON report goes as well
  Locations locations;
  bool dry_run = false, json = false, quiet = false, tail = false;
  bool standard_input = false;  // --stdin
};

// Prepared: everything that can be refused has been, nothing has run.
struct RunRequest {
  ToolConfig tool;
  JsonObject values;  // as given, names checked
  tmpl::Plan plan;
  std::filesystem::path folder;                // absolute: where the steps run
  std::shared_ptr<const Variables> variables;  // the whole set of each step
  policy::Limits limits;
  StreamLimits streams;
  std::int64_t jobs = kUsualJobs;
  std::filesystem::path report;  // absolute; empty: none
  std::filesystem::path state;   // the state folder; not made yet
  bool json = false, quiet = false;
  bool tail = false;            // of each stream only the end is kept, nothing goes to disk
  bool standard_input = false;  // the first step reads the program's own standard input
};

// Refused: host.no_such_tool {tool, hint}, run.nothing_named, run.jobs_invalid {jobs, most},
// run.folder_missing {folder}, run.template_errors, run.file_errors {file}, run.is_configuration
// {file, tools, call}, config.variable_unset {name}, and what the configuration, the values and the
// template refuse. `errors` gets the configuration's problems if they may be why the tool is
// missing.
Result<RunRequest> prepare(const RunCommand& command, const Surroundings& around,
                           std::vector<Problem>& errors);

// The whole command: prepares, then prints the plan (--dry-run) or executes.
int run_command(const RunCommand& command, Console& console, const Surroundings& around);

// Runs the plan with progress on err and the result on out; the exit code is the run's.
int execute(const RunRequest& request, Console& console);

}  // namespace helve::host
