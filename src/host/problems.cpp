#include "host/problems.h"

#include "base/text.h"
#include "base/texts.h"

namespace helve::host {
namespace {

// One remark, whatever it came from.
struct Remark {
  std::string file, pointer, severity, rule, message, next;
  Position at;
  std::string source;
};

const char* severity_of(const Problem& problem) {
  if (problem.is_error()) return "error";
  return problem.is_risk() ? "note" : "warning";
}

// `flat`: for a terminal.
Remark remark_of(const Problem& problem, const Surroundings& around, bool flat) {
  Rendered rendered = render(flat ? flattened(problem.finding.what) : problem.finding.what);
  return {.file = shown_path(problem.file, around),
          .pointer = problem.finding.pointer,
          .severity = severity_of(problem),
          .rule = std::move(rendered.rule),
          .message = std::move(rendered.message),
          .next = std::move(rendered.next),
          .at = problem.at,
          .source = problem.source};
}

// A blank for each control character, so that columns stay.
std::string without_controls(const std::string& line) {
  std::string out;
  for (size_t at = 0; at < line.size();) {
    const size_t from = at;
    next_code_point(line, at);
    out += flatten_controls(std::string_view(line).substr(from, at - from));
  }
  return out;
}

std::string place_text(const Remark& remark) {
  std::string file = flatten_controls(remark.file);
  if (remark.at.line == 0) return file;
  return file + ':' + std::to_string(remark.at.line) + ':' + std::to_string(remark.at.column);
}

Ink ink_of(const Remark& remark) {
  if (remark.severity == "error") return Ink::kError;
  return remark.severity == "warning" ? Ink::kWarning : Ink::kNote;
}

// The line with a caret below the column, both cut on the left where the place is far to the right.
std::string source_text(const Remark& remark) {
  constexpr size_t kBefore = 60, kWidth = 100;
  if (remark.source.empty() || remark.at.column == 0) return "";
  std::string line = to_utf8(std::string_view(remark.source).substr(0, remark.at.column - 1));
  size_t start = 0;
  for (size_t skip = columns_of(line); skip > kBefore; --skip) next_code_point(line, start);
  const size_t caret = columns_of(std::string_view(line).substr(start));
  line = line.substr(start);
  if (remark.at.column <= remark.source.size()) {
    line += to_utf8(std::string_view(remark.source).substr(remark.at.column - 1));
  }
  line = cut_to(without_controls(line), kWidth);
  return "    " + line + "\n    " + std::string(caret, ' ') + "^\n";
}

std::string to_text(const Remark& remark, bool color) {
  std::string out = inked(place_text(remark), Ink::kStrong, color) + ": " +
                    inked(text("severity." + remark.severity), ink_of(remark), color) + ": " +
                    remark.message + '\n' + source_text(remark);
  if (!remark.pointer.empty()) {
    out += "  " + text("check.at", {{"pointer", flatten_controls(remark.pointer)}}) + '\n';
  }
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
  return to_text(remark_of(problem, around, true), color);
}

Json problem_json(const Problem& problem, const Surroundings& around) {
  return to_json(remark_of(problem, around, false));
}

int refuse_start(const Config& config, Console& console, const Surroundings& around) {
  for (const Problem& problem : config.problems) {
    console.err << problem_text(problem, around, console.color_err);
  }
  return print_refusal(console, refuse("config.errors").error());
}

}  // namespace helve::host
