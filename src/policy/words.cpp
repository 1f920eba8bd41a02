// The words of the policy: labels, verdicts and profiles by name, and the sentence for each reason.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/texts.h"
#include "policy/policy.h"

namespace helve::policy {
namespace {

struct Label {
  std::string_view name;
  bool careful_asks;
  const char* reason;
};

// long_running is the one label that does no harm by itself.
constexpr Label kLabels[] = {
    {"shell", true, "policy.reason.shell"},
    {"eval", true, "policy.reason.eval"},
    {"destructive_fs", true, "policy.reason.destructive_fs"},
    {"broad_fs_write", true, "policy.reason.broad_fs_write"},
    {"external_side_effect", true, "policy.reason.external_side_effect"},
    {"secret_touching", true, "policy.reason.secret_touching"},
    {"network", true, "policy.reason.network"},
    {"long_running", false, "policy.reason.long_running"},
    {"platform_specific", true, "policy.reason.platform_specific"},
};

constexpr std::array<std::string_view, 3> kVerdicts = {"allow", "ask", "deny"};
constexpr std::array<std::string_view, 3> kProfiles = {"open", "careful", "locked"};

const Label* find_label(std::string_view name) {
  const auto found = std::ranges::find(kLabels, name, &Label::name);
  return found == std::end(kLabels) ? nullptr : found;
}

template <typename Enum>
std::optional<Enum> value_of(const std::array<std::string_view, 3>& words, std::string_view word) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) return std::nullopt;
  return static_cast<Enum>(found - words.begin());
}

}  // namespace

std::span<const std::string_view> risk_labels() {
  static constexpr auto kNames = [] {
    std::array<std::string_view, std::size(kLabels)> names;
    std::ranges::transform(kLabels, names.begin(), &Label::name);
    return names;
  }();
  return kNames;
}

bool careful_asks(std::string_view label) {
  const Label* const found = find_label(label);
  return found == nullptr || found->careful_asks;  // what nobody knows is no reason for calm
}

std::string reason_text(const Question& question) {
  std::vector<std::string> sentences;
  for (const std::string& reason : question.reasons) {
    const Label* const label = find_label(reason);
    sentences.push_back(label != nullptr ? text(label->reason) : text("policy.reason.tool"));
  }
  return join(sentences, "; ");
}

std::optional<Verdict> verdict_of(std::string_view word) {
  return value_of<Verdict>(kVerdicts, word);
}
std::optional<Profile> profile_of(std::string_view word) {
  return value_of<Profile>(kProfiles, word);
}
std::string_view name_of(Verdict verdict) { return kVerdicts[static_cast<size_t>(verdict)]; }
std::string_view name_of(Profile profile) { return kProfiles[static_cast<size_t>(profile)]; }

}  // namespace helve::policy
