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

Refusal in_word(Refusal refusal, std::string_view word, size_t offset) {
  if (!refusal.details.is_object()) refusal.details = JsonObject();
  refusal.details.as_object().emplace("word", clip(word));
  refusal.details.as_object().emplace("offset", offset);
  refusal.args.emplace_back("word", clip(word));
  refusal.args.emplace_back("offset", std::to_string(offset));
  return refusal;
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
