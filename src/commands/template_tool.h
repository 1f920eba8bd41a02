// commands/template_tool.h
//
// A command template as a tool: its schema from the template, its answer from the run (decisions,
// section 4), its report as a resource. Loop thread only.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
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
  std::string digest;    // of the template and where it runs: what an approval holds for
  std::string home;      // for `~` in command words
  RunnerOptions runner;  // folder and variables of its runs; the call's permit is taken
  size_t width = 64;
  // What hosts are told of it; unset: computed from its risk labels.
  std::string title;
  std::optional<bool> read_only, destructive, idempotent, open_world;
  bool deferred = false, detach = false;  // as in tool::Tool
};

// Both must outlive the tool.
tool::Tool as_tool(TemplateTool definition, os::Loop& loop, tool::Reports& reports);

// The same as a prompt: what it puts out is the prompt's text.
tool::Prompt as_prompt(TemplateTool definition, os::Loop& loop, tool::Reports& reports);

// helve://runs/ID (the report) and helve://runs/ID/result (the selected output, its last 1 MiB), of
// the runs of the asking session.
tool::ResourceProvider run_resources(tool::Reports& reports);

}  // namespace helve::commands
