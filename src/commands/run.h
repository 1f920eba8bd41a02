// commands/run.h
//
// One run of a plan, whole: folder for its spills, processes, record, selected result, report.
// Loop thread only.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "commands/process_runner.h"
#include "commands/recorder.h"
#include "commands/report.h"
#include "commands/stop.h"
#include "template/template.h"
#include "tool/reports.h"

namespace helve::commands {

struct RunRequest {
  std::string tool;                       // for the report; may be empty
  JsonObject arguments;                   // as given
  std::vector<std::string> secret;        // names of arguments that are masked
  std::vector<std::string> secret_texts;  // and what must not be seen anywhere in the report
  std::vector<Finding> warnings;
  Stream input;          // of the first step
  RunnerOptions runner;  // `spills` and `secrets` are filled in here
  size_t width = 64;
};

struct Run {
  std::shared_ptr<const tmpl::Plan> plan;  // the report points into it
  Report report;
  Stream result;     // the selected output
  std::string json;  // the report as it was stored
};

// The texts that the values of the `secret` arguments can take: given or by default, items of
// arrays one by one; longest first, so that one inside another is masked too.
std::vector<std::string> secret_texts(const JsonObject& arguments,
                                      const std::vector<std::string>& secret,
                                      const tmpl::Template& compiled);

// Runs to the end, whatever that is. `reports` may be null: then nothing is spilled or stored, and
// only the last bytes of each stream are kept. `observer` may be null.
boost::asio::awaitable<Run> run_plan(os::Loop& loop, std::shared_ptr<const tmpl::Plan> plan,
                                     RunRequest request, tool::Reports* reports, Stop& stop,
                                     Observer* observer);

}  // namespace helve::commands
