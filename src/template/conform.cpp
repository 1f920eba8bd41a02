#include "template/conform.h"

#include <algorithm>
#include <optional>

#include "template/detail/errors.h"
#include "template/detail/value.h"
#include "template/parts.h"

namespace helve::tmpl {
namespace {

constexpr std::int64_t kMostGenerated = 64LL * 1024 * 1024;  // bytes

std::unexpected<Refusal> unreadable(std::string_view member) {
  return fail("invalid_case", {{"member", std::string(member)}});
}

Json error_answer(const Refusal& refusal) { return JsonObject{{"error", error_class(refusal)}}; }

JsonArray texts(const std::vector<std::string>& list) {
  JsonArray out;
  for (const std::string& text : list) out.emplace_back(text);
  return out;
}

// {"prefix", "unit", "count", "suffix"}: prefix + unit × count + suffix.
std::optional<std::string> generated(const Json& recipe) {
  const Json* number = find(recipe, "count");
  const std::string_view unit = find_text(recipe, "unit").value_or("");
  const std::optional<std::int64_t> count = number != nullptr ? integral(*number) : std::nullopt;
  const auto most = kMostGenerated / static_cast<std::int64_t>(unit.size() + 1);
  if (!count || *count < 0 || *count > most) return std::nullopt;
  std::string out(find_text(recipe, "prefix").value_or(""));
  for (std::int64_t i = 0; i < *count; ++i) out += unit;
  out += find_text(recipe, "suffix").value_or("");
  return out;
}

// The text of a member: as it stands, as {"generate": …}, or from the case's own `generate`.
std::optional<std::string> text_of(const Json& test_case, std::string_view member) {
  const Json* value = find(test_case, member);
  if (value != nullptr && value->is_string()) return std::string(as_text(*value));
  const Json* recipe = find(value != nullptr ? *value : test_case, "generate");
  return recipe != nullptr ? generated(*recipe) : std::nullopt;
}

JsonObject object_of(const Json& test_case, std::string_view member) {
  const Json* value = find(test_case, member);
  return value != nullptr && value->is_object() ? value->get_object() : JsonObject();
}

Json member_of(const Json& test_case, std::string_view member) {
  const Json* value = find(test_case, member);
  return value != nullptr ? *value : Json(nullptr);
}

std::optional<Instance> instance_of(const Json& holder) {
  const Json* index = find(holder, "index");
  const Json* repeat = find(holder, "repeat");
  if (index == nullptr || repeat == nullptr) return std::nullopt;
  const auto at = integral(*index);
  const auto count = integral(*repeat);
  if (!at || !count || *at < 0 || *at >= *count) return std::nullopt;
  return Instance{.index = *at, .repeat = *count};
}

Result<Json> answer_split(const Json& test_case) {
  const std::optional<std::string> text = text_of(test_case, "template");
  if (!text) return unreadable("template");
  const Result<std::vector<Word>> words = split_words(*text);
  if (!words) return error_answer(words.error());
  JsonArray out;
  for (const Word& word : *words) out.emplace_back(word.text);
  return JsonObject{{"words", std::move(out)}};
}

Result<Json> answer_expand(const Json& test_case) {
  std::optional<std::string> text = text_of(test_case, "template");
  if (!text) return unreadable("template");
  LeafCase leaf{.text = *std::move(text),
                .args = member_of(test_case, "args"),
                .defaults = member_of(test_case, "defaults"),
                .values = object_of(test_case, "values"),
                .cwd = std::string(find_text(test_case, "cwd").value_or("")),
                .home = std::string(find_text(test_case, "home").value_or(""))};
  if (const Json* outer = find(test_case, "outer"); outer != nullptr && outer->is_array()) {
    leaf.outer = outer->get_array();
  }
  if (const Json* repeat = find(test_case, "repeat"); repeat != nullptr && !repeat->is_null()) {
    leaf.instance = instance_of(*repeat);
    if (!leaf.instance) return unreadable("repeat");
  }
  const Result<Leaf> expanded = expand_leaf(leaf);
  if (!expanded) return error_answer(expanded.error());
  std::vector<std::string> resolved = expanded->argv;
  resolved.front() = expanded->program;
  return JsonObject{{"argv", texts(expanded->argv)}, {"resolved_argv", texts(resolved)}};
}

Result<Json> answer_repeat(const Json& test_case) {
  const JsonObject values = object_of(test_case, "values");
  if (find_text(test_case, "kind") == "count") {
    const Result<std::int64_t> count = repeat_count(member_of(test_case, "repeat_field"), values);
    if (!count) return error_answer(count.error());
    return JsonObject{{"count", *count}};
  }
  const std::optional<std::string> text = text_of(test_case, "text");
  if (!text) return unreadable("text");
  const std::optional<Instance> instance = instance_of(test_case);
  if (!instance) return unreadable("index");
  const Result<std::string> replaced = replace_text(*text, *instance, values);
  if (!replaced) return error_answer(replaced.error());
  return JsonObject{{"text", *replaced}};
}

}  // namespace

Result<Json> answer_case(std::string_view format, const Json& test_case) {
  if (!test_case.is_object()) return unreadable("case");
  if (format == "ct-split/1") return answer_split(test_case);
  if (format == "ct-expand/1") return answer_expand(test_case);
  if (format == "ct-repeat/1") return answer_repeat(test_case);
  return fail("unknown_vectors", {{"format", clip(format)}});
}

}  // namespace helve::tmpl
