#include "workspace/detail/mismatch.h"

#include <algorithm>

#include "base/text.h"
#include "base/texts.h"
#include "workspace/no_match.h"

namespace helve::workspace {
namespace {

using Why = Mismatch::Why;

constexpr std::size_t kMostOfLine = 120;  // bytes

std::string which(const std::string& shown, std::size_t number, std::size_t count) {
  if (count == 1) return shown;
  return text("edit.of_many", {{"path", shown}, {"number", std::to_string(number + 1)}});
}

std::string line_around(std::string_view body, std::size_t at) {
  const std::size_t lf = at == 0 ? std::string_view::npos : body.rfind('\n', at - 1);
  std::size_t begin = lf == std::string_view::npos ? 0 : lf + 1;
  // In a long line the place, not the beginning.
  if (at - begin > kMostOfLine / 2) begin = utf8_floor(body, at - kMostOfLine / 2);
  const std::size_t end = std::min(body.find_first_of("\r\n", at), body.size());
  const std::size_t cut = utf8_floor(body, std::min(end, begin + kMostOfLine));
  return flatten_controls(to_utf8(body.substr(begin, std::max(cut, begin) - begin)));
}

// "\n  12: the line", for each place; the numbers for programs.
struct Listed {
  std::string lines;
  JsonArray numbers;
};
Listed list(std::string_view body, std::span<const std::size_t> places) {
  Listed out;
  std::size_t line = 1, from = 0;
  for (const std::size_t at : places) {
    line += static_cast<std::size_t>(std::ranges::count(body.substr(from, at - from), '\n'));
    from = at;
    out.lines += "\n  " + std::to_string(line) + ": " + line_around(body, at);
    out.numbers.emplace_back(line);
  }
  return out;
}

Refusal ambiguous(const char* rule, const Mismatch& mismatch, std::string_view body,
                  std::string path) {
  Listed listed = list(body, mismatch.places);
  return {.rule = rule,
          .args = {{"path", std::move(path)},
                   {"count", std::to_string(mismatch.count)},
                   {"lines", std::move(listed.lines)}},
          .details = JsonObject{{"count", mismatch.count}, {"lines", std::move(listed.numbers)}}};
}

Refusal no_match(std::string_view body, const Wish& wish, std::string path) {
  NoMatch why = explain_no_match(body, wish.old_text);
  return {.rule = "edit.no_match",
          .args = {{"path", std::move(path)}, {"explained", std::move(why.sentences)}},
          .details = why.line == 0 ? Json(nullptr) : Json(JsonObject{{"line", why.line}})};
}

Refusal overlap(const Mismatch& mismatch, std::string_view body, const std::string& shown) {
  const Listed listed = list(body, mismatch.places);
  return {.rule = "edit.overlap",
          .args = {{"path", shown},
                   {"first", std::to_string(mismatch.wish + 1)},
                   {"second", std::to_string(mismatch.other + 1)},
                   {"line", std::to_string(listed.numbers.front().as_uint64())}}};
}

}  // namespace

Result<void> check_wishes(std::span<const Wish> wishes, const std::string& shown) {
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    const std::string path = which(shown, i, wishes.size());
    if (wishes[i].old_text.empty()) return refuse("edit.empty_old", {{"path", path}});
    if (wishes[i].old_text == wishes[i].new_text) {
      return refuse("edit.no_change", {{"path", path}});
    }
  }
  return {};
}

Refusal refusal_of(const Mismatch& mismatch, std::string_view body, std::span<const Wish> wishes,
                   const std::string& shown) {
  std::string path = which(shown, mismatch.wish, wishes.size());
  switch (mismatch.why) {
    case Why::kNone:
      return no_match(body, wishes[mismatch.wish], std::move(path));
    case Why::kMany:
      return ambiguous("edit.ambiguous", mismatch, body, std::move(path));
    case Why::kManyLoose:
      return ambiguous("edit.ambiguous_loosely", mismatch, body, std::move(path));
    case Why::kNoChange:
      return {"edit.no_change", {{"path", std::move(path)}}};
    case Why::kTooMany:
      return {"edit.too_many",
              {{"path", std::move(path)},
               {"count", std::to_string(mismatch.count)},
               {"limit", std::to_string(kMostSwaps)}}};
    case Why::kOverlap:
      return overlap(mismatch, body, shown);
  }
  return {};
}

}  // namespace helve::workspace
