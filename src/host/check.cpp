#include "host/check.h"

#include <algorithm>

#include "base/texts.h"
#include "host/problems.h"

namespace helve::host {
namespace {

void print_text(const Config& config, Console& console, const Surroundings& around) {
  const auto errors =
      static_cast<size_t>(std::ranges::count_if(config.problems, &Problem::is_error));
  const auto risks = static_cast<size_t>(std::ranges::count_if(config.problems, &Problem::is_risk));
  const size_t warnings = config.problems.size() - errors - risks;
  for (const Problem& problem : config.problems) {
    console.out << problem_text(problem, around, console.color_out);
  }
  const char* const key = errors > 0     ? "check.summary_bad"
                          : warnings > 0 ? "check.summary_warned"
                                         : "check.summary_good";
  console.out << text(key, {{"files", counted("files", config.files.size())},
                            {"tools", counted("tools", config.tools.size())},
                            {"errors", counted("errors", errors)},
                            {"warnings", counted("warnings", warnings)}})
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
  if (const auto root = check_root(request.locations, around); !root) {
    return print_refusal(console, root.error(), request.json);
  }
  const Config config =
      request.path.empty() ? load(request.locations, around) : load_path(request.path, around);
  if (config.files.empty() && config.problems.empty()) {
    const std::string folder = absolute(request.path, around).string();
    const char* rule = request.path.empty() ? "config.absent" : "config.absent_here";
    return print_refusal(console, refuse(rule, {{"folder", folder}}).error(), request.json);
  }
  request.json ? print_json(config, console, around) : print_text(config, console, around);
  return config.has_errors() ? kRefused : kDone;
}

}  // namespace helve::host
