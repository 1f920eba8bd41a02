// commands/template_tool.h
//
// A command template as a tool: its schema from the template, its answer from the run (decisions,
// section 4), its report as a resource. Loop thread only.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands/process_runner.h"
#include "os/loop.h"
#include "template/template.h"
#include "tool/registry.h"
#include "tool/reports.h"

namespace helve::commands {

struct TemplateTool {
  std::string name;
  std::string description;
  JsonObject arg_descriptions;
  std::vector<std::string> secret;  // arguments that are masked
  tmpl::Template compiled;
  std::string home;      // for `~` in command words
  RunnerOptions runner;  // folder, variables, limits of its runs
  size_t width = 64;
};

// Both must outlive the tool.
tool::Tool as_tool(TemplateTool definition, os::Loop& loop, tool::Reports& reports);

// helve://runs/ID (the report) and helve://runs/ID/result (the selected output, its last 1 MiB), of
// the runs of the asking session.
tool::ResourceProvider run_resources(tool::Reports& reports);

}  // namespace helve::commands
