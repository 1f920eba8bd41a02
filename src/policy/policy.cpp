#include "policy/policy.h"

#include "base/text.h"
#include "base/texts.h"

namespace helve::policy {
namespace {

constexpr std::string_view kByName = "tool";

// What one layer, or the usual profile, says; `why` are the labels that say it, or kByName.
struct Word {
  Verdict verdict = Verdict::kAllow;
  std::vector<std::string> why;
  bool listed = true;  // by a rule; else it is the profile's word
  std::string file;
  bool trusted = true;  // the user's, or the profile that holds without one
};

bool is_stricter(const Word& word, const Word& than) { return word.verdict > than.verdict; }

Verdict word_of(Profile profile, std::string_view label) {
  if (profile == Profile::kLocked) return Verdict::kDeny;
  return profile == Profile::kCareful && careful_asks(label) ? Verdict::kAsk : Verdict::kAllow;
}

// Adds what a label has: the strictest counts, and everything that is as strict is a reason.
void add(std::optional<Word>& total, Verdict verdict, const std::string& label, bool listed) {
  if (!total || verdict > total->verdict) {
    total = Word{verdict, {label}, listed, ""};
  } else if (verdict == total->verdict) {
    total->why.push_back(label);
    total->listed = total->listed && listed;
  }
}

// A tool that no rule names and that has no labels.
std::optional<Word> plain_word(std::optional<Profile> profile) {
  if (!profile) return std::nullopt;
  if (*profile == Profile::kLocked) return Word{Verdict::kDeny, {}, false, ""};
  return Word{Verdict::kAllow, {}, false, ""};
}

std::optional<Word> word_of_labels(const Rules& rules, const Facts& facts) {
  std::optional<Word> total;
  for (const std::string& label : facts.labels) {
    if (const auto found = rules.labels.find(label); found != rules.labels.end()) {
      add(total, found->second, label, true);
    } else if (rules.profile) {
      add(total, word_of(*rules.profile, label), label, false);
    }
  }
  return total;
}

// `bash` runs whatever it is told, so that labels would say too little.
bool is_asked_by_name(const Rules& rules, const Facts& facts) {
  return rules.profile == Profile::kCareful && facts.tool == "bash";
}

std::optional<Word> word_of(const Rules& rules, const Facts& facts) {
  const auto named = rules.tools.find(facts.tool);
  if (named != rules.tools.end()) return Word{named->second, {std::string(kByName)}, true, ""};
  if (facts.own) return std::nullopt;
  std::optional<Word> word = word_of_labels(rules, facts);
  if (!word) word = plain_word(rules.profile);
  if (is_asked_by_name(rules, facts) && (!word || word->verdict < Verdict::kAsk)) {
    word = Word{Verdict::kAsk, {std::string(kByName)}, false, ""};
  }
  return word;
}

void tighten(std::optional<Word>& total, const Rules& rules, const Facts& facts) {
  std::optional<Word> word = word_of(rules, facts);
  if (!word || (total && !is_stricter(*word, *total))) return;
  word->file = rules.file;
  word->trusted = rules.trusted;
  total = std::move(word);
}

Word whole_word(const Policy& policy, const Facts& facts) {
  std::optional<Word> total;
  for (const Rules& rules : policy.layers) {
    if (rules.trusted) tighten(total, rules, facts);
  }
  if (!total) tighten(total, Rules{.profile = policy.usual}, facts);
  if (!total) total = Word{};
  for (const Rules& rules : policy.layers) {
    if (!rules.trusted) tighten(total, rules, facts);
  }
  return *std::move(total);
}

std::string file_text(const Word& word) {
  return word.file.empty() ? text("policy.users_file") : word.file;
}

Refusal refusal_of(const Word& word, const Facts& facts) {
  if (!word.listed) {
    const std::string missing =
        word.why.empty() ? text("policy.missing_tool")
                         : text("policy.missing_labels", {{"labels", join(word.why, ", ")}});
    return refuse("policy.not_listed",
                  {{"tool", facts.tool}, {"missing", missing}, {"file", file_text(word)}})
        .error();
  }
  const bool by_name = word.why.front() == kByName;
  const std::string field =
      by_name ? "policy.tools." + facts.tool : "policy.labels." + word.why.front();
  const std::string reason =
      text("policy.says_deny", {{"field", field}, {"file", file_text(word)}});
  return refuse("policy.denied", {{"tool", facts.tool},
                                  {"reason", reason},
                                  {"field", field},
                                  {"file", file_text(word)}})
      .error();
}

}  // namespace

Decision decide(const Policy& policy, const Facts& facts) {
  Word word = whole_word(policy, facts);
  Permit permit = Permit::owner(policy.limits);
  if (word.verdict == Verdict::kAllow) return permit;
  if (word.verdict == Verdict::kDeny) return refusal_of(word, facts);
  return Question{facts.tool, std::move(word.why), std::move(permit),
                  word.trusted ? "" : std::move(word.file)};
}

namespace {

// What the owner does so that nobody is asked: the user's word does not undo a project's.
std::string way_out(const Question& question) {
  return question.file.empty()
             ? text("policy.allow.user", {{"tool", question.tool}})
             : text("policy.allow.project", {{"tool", question.tool}, {"file", question.file}});
}

}  // namespace

Refusal refusal_of(const Question& question, Unanswered how) {
  const Texts args = {
      {"tool", question.tool}, {"reason", reason_text(question)}, {"way_out", way_out(question)}};
  switch (how) {
    case Unanswered::kCannotAsk:
      return refuse("policy.cannot_ask", args).error();
    case Unanswered::kDeclined:
      return refuse("policy.declined", {{"tool", question.tool}}).error();
    case Unanswered::kCancelled:
      return refuse("policy.cancelled", {{"tool", question.tool}}).error();
    case Unanswered::kUnavailable:
      return refuse("policy.unavailable", args).error();
  }
  return refuse("policy.cannot_ask", args).error();
}

}  // namespace helve::policy
