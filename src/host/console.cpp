#include "host/console.h"

#include "base/text.h"
#include "base/texts.h"

namespace helve::host {
namespace {

const char* escape_of(Ink ink) {
  switch (ink) {
    case Ink::kError:
      return "\x1b[1;31m";
    case Ink::kWarning:
      return "\x1b[1;33m";
    case Ink::kNote:
      return "\x1b[36m";
    case Ink::kStrong:
      return "\x1b[1m";
    case Ink::kFaint:
      return "\x1b[2m";
  }
  return "";
}

}  // namespace

std::string inked(std::string_view text, Ink ink, bool color) {
  if (!color) return std::string(text);
  return std::string(escape_of(ink)).append(text).append("\x1b[0m");
}

Json refusal_json(const Refusal& refusal) {
  Rendered rendered = render(refusal);
  JsonObject object{{"rule", rendered.rule},
                    {"message", to_utf8(rendered.message)},
                    {"next", to_utf8(rendered.next)}};
  if (!rendered.details.is_null()) object["details"] = std::move(rendered.details);
  return object;
}

Refusal flattened(Refusal refusal) {
  for (auto& [name, value] : refusal.args) value = flatten_controls(value);
  return refusal;
}

std::string flat_lines(std::string_view words) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(words, '\n')) lines.push_back(flatten_controls(line));
  return join(lines, "\n");
}

std::string counted(std::string_view what, size_t count) {
  const std::string key = "count." + std::string(what) + (count == 1 ? ".one" : ".many");
  return text(key, {{"count", std::to_string(count)}});
}

int print_refusal(Console& console, const Refusal& refusal, bool json) {
  if (json) {
    console.out << write_json(refusal_json(refusal)) << '\n';
    return kRefused;
  }
  const Rendered rendered = render(flattened(refusal));
  console.err << inked(text("console.refused"), Ink::kError, console.color_err) << ' '
              << rendered.message << '\n'
              << inked(text("console.next"), Ink::kStrong, console.color_err) << ' '
              << rendered.next << '\n';
  return kRefused;
}

size_t columns_of(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) next_code_point(text, at);
  return count;
}

std::string cut_to(std::string_view text, size_t width) {
  if (width == 0 || columns_of(text) <= width) return std::string(text);
  size_t at = 0;
  for (size_t column = 0; column + 1 < width; ++column) next_code_point(text, at);
  return std::string(text.substr(0, at)) + "…";
}

}  // namespace helve::host
