#include "tool/detail/bound.h"

#include "base/encoded.h"
#include "base/text.h"
#include "base/texts.h"

namespace helve::tool {
namespace {

constexpr size_t kEnvelope = 512;  // jsonrpc, id, result, serverInfo and the names of our members
constexpr size_t kLinkFrame = 64;  // the names and quotes of one link

// Of a text that is JSON already: nothing is escaped again.
size_t utf16_units(std::string_view text) {
  size_t units = 0;
  for (const char c : text) {
    if (!continues_character(c)) units += static_cast<unsigned char>(c) >= 0xF0 ? 2 : 1;
  }
  return units;
}

size_t json_size(const Json& value) { return utf16_units(write_json(value)); }

bool is_media(const Json& block) {
  const auto type = find_text(block, "type");
  return type && (*type == "image" || *type == "audio");
}

// How the rest is reached: the first link, else what the tool says, else the general advice.
std::string rest_of(const Answer& answer, const Tool& tool) {
  if (!answer.links.empty()) return text("tool.rest.link", {{"uri", answer.links.front().uri}});
  return tool.rest_hint.empty() ? text("tool.rest.narrow") : tool.rest_hint;
}

std::string cut_note(size_t shown, size_t total, const std::string& rest) {
  return "\n" +
         text("tool.answer_cut",
              {{"shown", std::to_string(shown)}, {"total", std::to_string(total)}, {"rest", rest}});
}

size_t size_around_text(const Answer& answer) {
  size_t size = kEnvelope;
  if (answer.structured) size += json_size(*answer.structured);
  if (!answer.meta.empty()) size += json_size(answer.meta);
  for (const Link& link : answer.links) {
    size += kLinkFrame + encoded_size(link.uri) + encoded_size(link.name) +
            encoded_size(link.mime_type);
  }
  for (const Json& block : answer.blocks) {
    if (!is_media(block)) size += json_size(block) + 1;
  }
  return size;
}

}  // namespace

size_t encoded_size(const Answer& answer) {
  return size_around_text(answer) + encoded_size(answer.text);
}

Result<Answer> bound(Answer answer, const Tool& tool, size_t limit) {
  const size_t around = size_around_text(answer);
  // No byte takes more than six units, so most answers need no counting.
  const size_t room = limit - std::min(limit, around);
  if (answer.text.size() <= room / 6 && around <= limit) return answer;
  if (around <= limit && encoded_prefix(answer.text, room).size() == answer.text.size()) {
    return answer;
  }

  const size_t total = answer.text.size();
  const std::string rest = rest_of(answer, tool);
  const size_t note = encoded_size(cut_note(total, total, rest));
  if (note > room) {
    return refuse("tool.answer_too_large", {{"tool", tool.name},
                                            {"size", std::to_string(encoded_size(answer))},
                                            {"limit", std::to_string(limit)}});
  }
  const size_t shown = encoded_prefix(answer.text, room - note).size();
  answer.text.resize(shown);
  answer.text += cut_note(shown, total, rest);
  return answer;
}

}  // namespace helve::tool
