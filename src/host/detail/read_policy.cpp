// "policy" of a configuration file: one layer of the policy, and remarks on what in it is idle.
#include <algorithm>

#include "base/texts.h"
#include "host/detail/fields.h"
#include "host/detail/reader.h"
#include "host/own_tools.h"

namespace helve::host {
namespace {

std::vector<std::string_view> label_names() {
  const auto labels = policy::risk_labels();
  return {labels.begin(), labels.end()};
}

// "risk.network" is how reports name it; the hint says the short name.
std::string_view short_label(std::string_view label) {
  constexpr std::string_view kPrefix = "risk.";
  return label.starts_with(kPrefix) ? label.substr(kPrefix.size()) : label;
}

std::optional<policy::Verdict> verdict(const Json& value) {
  return value.is_string() ? policy::verdict_of(as_text(value)) : std::nullopt;
}

// A layer that nothing in it makes stricter than "allow" everywhere.
bool only_allows(const policy::Rules& rules) {
  const auto allows = [](const auto& entry) { return entry.second == policy::Verdict::kAllow; };
  return rules.profile.value_or(policy::Profile::kOpen) == policy::Profile::kOpen &&
         std::ranges::all_of(rules.labels, allows);
}

}  // namespace

void Reader::read_policy(const Json* policy, bool trusted) {
  if (policy == nullptr || !policy->is_object()) return;
  check_object(policy->get_object(), "/policy", policy_fields(),
               [&](const std::string& at, Refusal why) { report(at, std::move(why)); });
  policy::Rules rules{.trusted = trusted, .file = shown_path(file_, around_)};
  if (const auto profile = find_text(*policy, "profile")) {
    rules.profile = policy::profile_of(*profile);
  }
  read_labels(find(*policy, "labels"), rules);
  read_tool_names(find(*policy, "tools"), rules);
  if (!trusted) warn_of_idle_words(rules);
  config.policy.layers.push_back(std::move(rules));
}

void Reader::read_labels(const Json* labels, policy::Rules& rules) {
  if (labels == nullptr || !labels->is_object()) return;
  for (const auto& [name, value] : labels->get_object()) {
    const auto known = label_names();
    if (std::ranges::find(known, std::string_view(name)) == known.end()) {
      report(pointer_to("/policy/labels", name),
             refuse("config.no_such_label",
                    {{"label", std::string(name)}, {"hint", hint(short_label(name), known)}})
                 .error());
    } else if (const auto word = verdict(value)) {
      rules.labels.emplace(name, *word);
    }
  }
}

void Reader::read_tool_names(const Json* tools, policy::Rules& rules) {
  if (tools == nullptr || !tools->is_object()) return;
  for (const auto& [name, value] : tools->get_object()) {
    const std::string at = pointer_to("/policy/tools", name);
    if (const auto word = verdict(value)) rules.tools.emplace(name, *word);
    mentions_.push_back({.tool = std::string(name),
                         .problem = {.file = file_,
                                     .finding = {Finding::Severity::kWarning, at, {}},
                                     .at = document_->locate(at)},
                         .trusted = rules.trusted});
  }
}

// A project that only allows changes nothing: it can tighten what holds, not loosen it.
void Reader::warn_of_idle_words(const policy::Rules& rules) {
  if (!only_allows(rules)) return;
  const auto warn = [&](const std::string& at) {
    report(at, refuse("config.policy_not_loosened").error(), Finding::Severity::kWarning);
  };
  if (rules.profile) warn("/policy/profile");
  for (const auto& [label, word] : rules.labels) warn(pointer_to("/policy/labels", label));
  for (const auto& [tool, word] : rules.tools) {
    if (word == policy::Verdict::kAllow) warn(pointer_to("/policy/tools", tool));
  }
}

void Reader::finish() {
  std::vector<std::string_view> known(tools_seen_.begin(), tools_seen_.end());
  const auto own = own_tool_names();
  known.insert(known.end(), own.begin(), own.end());
  for (Mention& mention : mentions_) {
    // The user's file speaks for every project, so that a name that is not here is no slip.
    if (mention.trusted && mention.problem.file != config.project) continue;
    if (std::ranges::find(known, mention.tool) != known.end()) continue;
    mention.problem.finding.what =
        refuse("config.policy_no_such_tool",
               {{"tool", mention.tool}, {"hint", hint(mention.tool, known)}})
            .error();
    config.problems.push_back(std::move(mention.problem));
  }
  mentions_.clear();
}

}  // namespace helve::host
