#include "host/check.h"

#include <algorithm>

#include "base/texts.h"
#include "host/problems.h"

namespace helve::host {
namespace {

void print_text(const Config& config, Console& console, const Surroundings& around) {
  const auto errors = std::ranges::count_if(config.problems, &Problem::is_error);
  const auto risks = std::ranges::count_if(config.problems, &Problem::is_risk);
  const auto warnings = std::ranges::ssize(config.problems) - errors - risks;
  for (const Problem& problem : config.problems) {
    console.out << problem_text(problem, around, console.color_out);
  }
  console.out << text(errors == 0 ? "check.summary_good" : "check.summary_bad",
                      {{"files", std::to_string(config.files.size())},
                       {"tools", std::to_string(config.tools.size())},
                       {"errors", std::to_string(errors)},
                       {"warnings", std::to_string(warnings)}})
              << '\n';
}

void print_json(const Config& config, Console& console, const Surroundings& around) {
  JsonArray findings;
  for (const Problem& problem : config.problems) {
    findings.push_back(problem_json(problem, around));
  }
  JsonArray tools;
  for (const ToolConfig& tool : config.tools) {
    JsonArray risks;
    for (const std::string& risk : tool.compiled.risks()) {
      risks.emplace_back(risk);
    }
    tools.push_back(JsonObject{{"name", tool.name}, {"risks", std::move(risks)}});
  }
  const JsonObject report{{"findings", std::move(findings)}, {"tools", std::move(tools)}};
  console.out << write_json(report, JsonStyle::kPretty) << '\n';
}

}  // namespace

int check(const CheckRequest& request, Console& console, const Surroundings& around) {
  if (request.schema) {
    console.out << config_schema();
    return kDone;
  }
  const Config config =
      request.path.empty() ? load(request.locations, around) : load_path(request.path, around);
  if (config.files.empty() && config.problems.empty()) {
    const std::string folder = absolute(request.path, around).string();
    return print_refusal(console, refuse("config.absent", {{"folder", folder}}).error(),
                         request.json);
  }
  request.json ? print_json(config, console, around) : print_text(config, console, around);
  return config.has_errors() ? kRefused : kDone;
}

}  // namespace helve::host
