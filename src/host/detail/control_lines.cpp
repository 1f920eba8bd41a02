#include "host/detail/control_lines.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/texts.h"

namespace helve::host {
namespace {

constexpr std::array<std::pair<std::string_view, ControlVerb>, 3> kVerbs = {{
    {"list", ControlVerb::kList},
    {"follow", ControlVerb::kFollow},
    {"stop", ControlVerb::kStop},
}};

std::unexpected<Refusal> invalid(const char* reason) {
  return refuse("control.invalid", {{"reason", text(reason)}});
}

}  // namespace

std::string control_line(const ControlRequest& request) {
  const auto* const verb =
      std::ranges::find(kVerbs, request.verb, [](const auto& each) { return each.second; });
  JsonObject line{{"do", verb->first}};
  if (request.verb != ControlVerb::kList) line["job"] = request.job;
  if (request.verb == ControlVerb::kFollow) line["cursor"] = request.cursor;
  return write_json(line) + '\n';
}

Result<ControlRequest> read_control_line(std::string_view line) {
  const auto json = parse_json(line);
  if (!json || !json->is_object()) return invalid("control.no_object");
  const auto name = find_text(*json, "do");
  const auto* const verb =
      std::ranges::find(kVerbs, name.value_or(""), [](const auto& each) { return each.first; });
  if (verb == kVerbs.end()) return invalid("control.no_verb");
  ControlRequest request{.verb = verb->second};
  if (request.verb == ControlVerb::kList) return request;
  const auto job = find_text(*json, "job");
  if (!job) return invalid("control.no_job");
  request.job = *job;
  const Json* cursor = find(*json, "cursor");
  if (cursor == nullptr) return request;
  const bool whole = cursor->is_uint64() || (cursor->is_int64() && cursor->get_int64() >= 0);
  if (!whole) return invalid("control.no_cursor");
  request.cursor = cursor->to_number<std::uint64_t>();
  return request;
}

std::string refusal_line(const Refusal& refusal) {
  JsonObject args;
  for (const auto& [name, value] : refusal.args) args[name] = value;
  return write_json(JsonObject{
             {"refusal", JsonObject{{"rule", refusal.rule}, {"args", std::move(args)}}}}) +
         '\n';
}

std::optional<Refusal> read_refusal(const Json& answer) {
  const Json* said = find(answer, "refusal");
  if (said == nullptr) return std::nullopt;
  Refusal refusal{.rule = std::string(find_text(*said, "rule").value_or("")), .args = {}};
  // Of another version, perhaps: then its words are not ours.
  if (!has_text("refused." + refusal.rule)) refusal.rule = "control.unreadable";
  const Json* args = find(*said, "args");
  if (args == nullptr || !args->is_object()) return refusal;
  for (const auto& [name, value] : args->get_object()) {
    if (value.is_string()) refusal.args.emplace_back(name, as_text(value));
  }
  return refusal;
}

}  // namespace helve::host
