#include "notes/markdown.h"

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "base/time.h"
#include "diff/lines.h"
#include "notes/detail/front_matter.h"

namespace helve::notes {
namespace {

constexpr std::size_t kLongestFrontMatter = 1 << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kFence = "---";

std::string time_of(const Stamp& stamp) {
  return utc_text(WallClock::time_point(std::chrono::milliseconds(stamp.at_ms)));
}

std::string list_of(const std::vector<std::string>& items) {
  std::vector<std::string> scalars;
  for (const std::string& item : items) scalars.push_back(yaml_scalar(item));
  return '[' + join(scalars, ", ") + ']';
}

void append_line(std::string& out, std::string_view key, std::string_view value) {
  out.append(key).append(": ").append(value) += '\n';
}

bool is_fence(std::string_view line) {
  line = diff::bare(line);
  return line.starts_with(kFence) &&
         line.find_first_not_of(" \t", kFence.size()) == std::string_view::npos;
}

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
  text.remove_prefix(line.size());
  return line;
}

struct Halves {
  std::string_view yaml, body;
};

// Of a text behind its first fence; none: nothing closes it.
std::optional<Halves> halves_of(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t at = text.size() - rest.size();
    if (at > kLongestFrontMatter) break;
    if (is_fence(take_line(rest))) return Halves{text.substr(0, at), rest};
  }
  return std::nullopt;
}

}  // namespace

std::string to_markdown(const Note& note, const std::vector<std::string>& tags,
                        std::string_view other) {
  std::string out(kFence);
  out += '\n';
  append_line(out, "id", yaml_scalar(note.id));
  append_line(out, "revision", std::to_string(note.revision));
  append_line(out, "title", yaml_scalar(note.title));
  append_line(out, "summary", yaml_scalar(note.summary));
  append_line(out, "tags", list_of(tags));
  append_line(out, "created", time_of(note.created));
  append_line(out, "updated", time_of(note.updated));
  append_line(out, "window", yaml_scalar(note.updated.session));
  append_line(out, "hash", yaml_scalar(note.hash));
  out += other;
  if (!out.ends_with('\n')) out += '\n';
  return out.append(kFence).append("\n").append(note.body);
}

NoteFile parse_markdown(std::string_view file) {
  std::string_view rest = file;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  NoteFile out{.body = std::string(file)};
  if (rest.empty() || !is_fence(take_line(rest))) return out;
  out.broken = true;
  const auto halves = halves_of(rest);
  if (!halves) return out;
  auto front = read_front_matter(halves->yaml);
  if (!front) return out;
  return {.id = std::move(front->id),
          .revision = front->revision,
          .title = std::move(front->title),
          .summary = std::move(front->summary),
          .tags = std::move(front->tags),
          .body = std::string(halves->body),
          .other = std::move(front->other)};
}

}  // namespace helve::notes
