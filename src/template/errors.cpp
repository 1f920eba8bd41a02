#include "template/detail/errors.h"

#include "base/text.h"
#include "base/texts.h"
#include "template/parts.h"

namespace helve::tmpl {
namespace {

constexpr std::string_view kArea = "template.";
constexpr size_t kClip = 80;

// Rules of their own for the sake of their sentences, one class in the format.
constexpr std::string_view kInvalidTemplate[] = {
    "template.foreign_field", "template.missing_template", "template.empty_template"};

// The argument that sentences about a placeholder have for its place; empty until that is known.
constexpr std::string_view kWhere = "where";

// `kind` is what the place is in: "word" or "text".
Refusal within(Refusal refusal, std::string_view kind, std::string_view around, size_t offset) {
  const Texts place = {{std::string(kind), clip(around)}, {"offset", std::to_string(offset)}};
  for (auto& [name, value] : refusal.args) {
    if (name == kWhere) value = ' ' + text("template.where." + std::string(kind), place);
  }
  if (!refusal.details.is_object()) refusal.details = JsonObject();
  refusal.details.as_object().emplace(kind, place.front().second);
  refusal.details.as_object().emplace("offset", offset);
  refusal.args.insert(refusal.args.end(), place.begin(), place.end());
  return refusal;
}

}  // namespace

std::unexpected<Refusal> fail(std::string_view error_class, Texts args) {
  return refuse(std::string(kArea) + std::string(error_class), std::move(args));
}

std::unexpected<Refusal> over_limit(std::string_view what, size_t limit) {
  return fail("limit_exceeded", {{"what", text("template.what." + std::string(what))},
                                 {"limit", std::to_string(limit)}});
}

std::unexpected<Refusal> wrong_kind(std::string_view member, std::string_view wanted,
                                    const Json& value) {
  return fail("invalid_template", {{"member", std::string(member)},
                                   {"wanted", text("template.wanted." + std::string(wanted))},
                                   {"kind", std::string(json_kind(value))}});
}

Refusal located(Refusal refusal, std::string_view pointer) {
  if (!refusal.details.is_object()) refusal.details = JsonObject();
  JsonObject& details = refusal.details.as_object();
  if (!details.contains("pointer")) details.emplace("pointer", pointer);
  return refusal;
}

std::unexpected<Refusal> bad_placeholder(std::string_view error_class, std::string_view content) {
  return fail(error_class, {{"placeholder", clip(content)}, {std::string(kWhere), ""}});
}

Refusal in_word(Refusal refusal, std::string_view word, size_t offset) {
  return within(std::move(refusal), "word", word, offset);
}

Refusal in_text(Refusal refusal, std::string_view text, size_t offset) {
  return within(std::move(refusal), "text", text, offset);
}

std::string clip(std::string_view text) {
  if (text.size() <= kClip) return flatten_controls(to_utf8(text));
  return flatten_controls(to_utf8(text.substr(0, utf8_floor(text, kClip)))) + "…";
}

std::string error_class(const Refusal& refusal) {
  const std::string_view rule = refusal.rule;
  for (const std::string_view special : kInvalidTemplate) {
    if (rule == special) return "invalid_template";
  }
  return std::string(rule.starts_with(kArea) ? rule.substr(kArea.size()) : rule);
}

}  // namespace helve::tmpl
