#include "workspace/detail/excerpt.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/encoded.h"
#include "base/text.h"
#include "base/texts.h"
#include "workspace/bounded.h"

namespace helve::workspace {
namespace {

struct Line {
  std::string shown;
  std::size_t cut = 0;
};

// A line, with its end if it has one, as it is shown (WS-37).
Line shorten(std::string_view line) {
  const bool ends = line.ends_with('\n');
  const std::string_view body = line.substr(0, line.size() - (ends ? 1 : 0));
  if (body.size() <= kMostOfLine) return {std::string(line), 0};
  const auto mark = [](std::size_t bytes) {
    return text("bounded.in_line", {{"bytes", std::to_string(bytes)}});
  };
  const std::size_t half = (kMostOfLine - mark(body.size()).size()) / 2;
  const std::size_t head = utf8_floor(body, half);
  const std::size_t tail = utf8_ceil(body, body.size() - half);
  Line shortened{std::string(body.substr(0, head)), tail - head};
  shortened.shown += mark(shortened.cut);
  shortened.shown += line.substr(tail);
  return shortened;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n') + 1); }

std::string_view last_line(std::string_view text) {
  if (text.size() < 2) return text;
  const std::size_t end = text.rfind('\n', text.size() - 2);
  return end == std::string_view::npos ? text : text.substr(end + 1);
}

// As much of the beginning as there is room for.
std::string_view beginning(std::string_view text, const Room& room) {
  return encoded_prefix(text.substr(0, utf8_floor(text, std::min(room.bytes, text.size()))),
                        room.budget);
}

std::string_view ending(std::string_view text, const Room& room) {
  text.remove_prefix(utf8_ceil(text, text.size() - std::min(room.bytes, text.size())));
  const std::size_t cost = encoded_size(text);
  if (cost <= room.budget) return text;
  const std::size_t over = cost - room.budget;
  std::size_t dropped = encoded_prefix(text, over).size();
  if (encoded_size(text.substr(0, dropped)) < over) dropped = utf8_ceil(text, dropped + 1);
  return text.substr(dropped);
}

// Whole characters, where not even one line fits.
Part characters(std::string_view shown) {
  return {.shown = std::string(shown), .bytes = shown.size(), .whole_lines = false};
}

// As many whole lines as there is room for.
Part lines_from_start(std::string_view text, Room room) {
  Part part;
  while (part.bytes < text.size()) {
    std::string_view line = first_line(text.substr(part.bytes));
    if (line.empty()) line = text.substr(part.bytes);  // the last one, without an end
    const Line shortened = shorten(line);
    if (!room.take(shortened.shown)) break;
    part.shown += shortened.shown;
    part.bytes += line.size();
    part.cut += shortened.cut;
  }
  return part;
}

Part lines_from_end(std::string_view text, Room room) {
  Part part;
  std::vector<std::string> lines;  // the last one first
  while (part.bytes < text.size()) {
    const std::string_view line = last_line(text.substr(0, text.size() - part.bytes));
    Line shortened = shorten(line);
    if (!room.take(shortened.shown)) break;
    part.bytes += line.size();
    part.cut += shortened.cut;
    lines.push_back(std::move(shortened.shown));
  }
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) part.shown += *line;
  return part;
}

}  // namespace

bool Room::take(std::string_view text) {
  if (text.size() > bytes) return false;
  const std::size_t cost = encoded_size(text);
  if (cost > budget) return false;
  bytes -= text.size();
  budget -= cost;
  return true;
}

Room Room::less(std::string_view text) const {
  const std::size_t cost = encoded_size(text);
  return {bytes - std::min(bytes, text.size()), budget - std::min(budget, cost)};
}

Part head_of(std::string_view text, const Room& room) {
  Part head = lines_from_start(text, room);
  return head.bytes > 0 ? head : characters(beginning(text, room));
}

Part tail_of(std::string_view text, const Room& room) {
  Part tail = lines_from_end(text, room);
  return tail.bytes > 0 ? tail : characters(ending(text, room));
}

}  // namespace helve::workspace
