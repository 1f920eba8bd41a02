#include "host/problems.h"

#include "base/text.h"
#include "base/texts.h"

namespace helve::host {
namespace {

// One remark, whatever it came from.
struct Remark {
  std::string file, pointer, severity, rule, message, next;
  Position at;
};

const char* severity_of(const Problem& problem) {
  if (problem.is_error()) return "error";
  return problem.is_risk() ? "note" : "warning";
}

Remark remark_of(const Problem& problem, const Surroundings& around) {
  Rendered rendered = render(problem.finding.what);
  return {.file = shown_path(problem.file, around),
          .pointer = problem.finding.pointer,
          .severity = severity_of(problem),
          .rule = std::move(rendered.rule),
          .message = std::move(rendered.message),
          .next = std::move(rendered.next),
          .at = problem.at};
}

std::string place_text(const Remark& remark) {
  if (remark.at.line == 0) return remark.file;
  return remark.file + ':' + std::to_string(remark.at.line) + ':' +
         std::to_string(remark.at.column);
}

Ink ink_of(const Remark& remark) {
  if (remark.severity == "error") return Ink::kError;
  return remark.severity == "warning" ? Ink::kWarning : Ink::kNote;
}

std::string to_text(const Remark& remark, bool color) {
  std::string out = inked(place_text(remark), Ink::kStrong, color) + ": " +
                    inked(text("severity." + remark.severity), ink_of(remark), color) + ": " +
                    remark.message + '\n';
  if (!remark.pointer.empty()) out += "  " + text("check.at", {{"pointer", remark.pointer}}) + '\n';
  return out + "  " + text("check.next", {{"next", remark.next}}) + '\n';
}

Json to_json(const Remark& remark) {
  return JsonObject{{"file", to_utf8(remark.file)},       {"line", remark.at.line},
                    {"column", remark.at.column},         {"pointer", remark.pointer},
                    {"severity", remark.severity},        {"rule", remark.rule},
                    {"message", to_utf8(remark.message)}, {"next", to_utf8(remark.next)}};
}

}  // namespace

std::string problem_text(const Problem& problem, const Surroundings& around, bool color) {
  return to_text(remark_of(problem, around), color);
}

Json problem_json(const Problem& problem, const Surroundings& around) {
  return to_json(remark_of(problem, around));
}

int refuse_start(const Config& config, Console& console, const Surroundings& around) {
  for (const Problem& problem : config.problems) {
    console.err << problem_text(problem, around, console.color_err);
  }
  return print_refusal(console, refuse("config.errors").error());
}

}  // namespace helve::host
