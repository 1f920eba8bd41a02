// The policy as a table: layers in, one line out.
#include "policy/policy.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "base/texts.h"

namespace helve::policy {
namespace {

// "user profile=careful network=allow @deploy=deny": who, then words; "@" before a tool's name.
Rules parse_rules(std::string_view line) {
  const std::vector<std::string_view> words = split(line, ' ');
  Rules rules{.trusted = words.front() == "user",
              .file = words.front() == "user" ? "" : "helve.json"};
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    std::string_view name = words[i].substr(0, equals);
    const std::string_view word = words[i].substr(equals + 1);
    if (name == "profile") {
      rules.profile = profile_of(word);
    } else if (name.starts_with('@')) {
      rules.tools.emplace(name.substr(1), verdict_of(word).value_or(Verdict::kDeny));
    } else {
      rules.labels.emplace(name, verdict_of(word).value_or(Verdict::kDeny));
    }
  }
  return rules;
}

// "careful | user ... | project ...": the usual profile, then the layers.
Policy parse_policy(std::string_view line) {
  Policy policy;
  const std::vector<std::string_view> parts = split(line, '|');
  policy.usual = profile_of(trim(parts.front())).value_or(Profile::kLocked);
  for (size_t i = 1; i < parts.size(); ++i) policy.layers.push_back(parse_rules(trim(parts[i])));
  return policy;
}

// "deploy shell,network", "own job_output"
Facts parse_facts(std::string_view line) {
  Facts facts;
  facts.own = line.starts_with("own ");
  if (facts.own) line.remove_prefix(4);
  const std::vector<std::string_view> words = split(line, ' ');
  facts.tool = words.front();
  if (words.size() < 2) return facts;
  for (const std::string_view label : split(words[1], ',')) facts.labels.emplace_back(label);
  return facts;
}

std::string describe(const Decision& decision) {
  if (std::holds_alternative<Permit>(decision)) return "permit";
  if (const auto* question = std::get_if<Question>(&decision)) {
    return "ask " + join(question->reasons, ",");
  }
  const Rendered said = render(std::get<Refusal>(decision));
  EXPECT_FALSE(said.message.contains("{reason}") || said.next.contains("{file}"));
  return said.rule;
}

struct Case {
  const char *name, *policy, *facts, *want;
};

constexpr Case kCases[] = {
    {"open permits all", "open", "t shell,eval,destructive_fs", "permit"},
    {"careful asks for each label", "careful", "t destructive_fs,network",
     "ask destructive_fs,network"},
    {"careful lets the harmless label be", "careful", "t long_running", "permit"},
    {"only the labels that ask are reasons", "careful", "t long_running,shell", "ask shell"},
    {"careful permits a tool without labels", "careful", "t", "permit"},
    {"careful asks for bash", "careful", "bash", "ask tool"},
    {"careful names what it knows of bash", "careful", "bash shell", "ask shell"},
    {"open permits bash", "open", "bash", "permit"},
    {"careful asks for a label that nobody knows", "careful", "t new_label", "ask new_label"},
    {"locked denies a tool without labels", "locked", "t", "policy.not_listed"},
    {"locked denies labels that nobody listed", "locked", "t network", "policy.not_listed"},
    {"locked permits a listed tool", "locked | user @t=allow", "t network", "permit"},
    {"locked asks for a tool listed so", "locked | user profile=locked @t=ask", "t", "ask tool"},
    {"locked permits a listed label", "open | user profile=locked network=allow", "t network",
     "permit"},
    {"locked wants every label listed", "open | user profile=locked network=allow",
     "t shell,network", "policy.not_listed"},
    {"the name is stronger than the labels", "open | user @t=allow network=deny", "t network",
     "permit"},
    {"the strictest label counts", "open | user network=ask shell=deny", "t shell,network",
     "policy.denied"},
    {"a label's word replaces the profile's for it", "open | user profile=careful network=allow",
     "t network", "permit"},
    {"and for no other label", "open | user profile=careful network=allow",
     "t destructive_fs,network", "ask destructive_fs"},
    {"the user's file loosens the face's profile", "careful | user profile=open", "t network",
     "permit"},
    {"the user's word on a tool loosens it too", "careful | user @t=allow", "t network", "permit"},
    {"the user's word on another tool does not", "careful | user @other=allow", "t network",
     "ask network"},
    {"a user's file without a word leaves the face's profile", "locked | user", "t",
     "policy.not_listed"},
    {"a project does not loosen the face's profile", "careful | project profile=open @t=allow",
     "t network", "ask network"},
    {"a project does not loosen the user's word", "open | user @t=deny | project @t=allow", "t",
     "policy.denied"},
    {"a project tightens the user's word", "open | user @t=allow | project @t=ask", "t",
     "ask tool"},
    {"a project tightens the profile", "open | project profile=careful", "t shell", "ask shell"},
    {"a locked project denies what it does not list", "open | project profile=locked @a=allow", "t",
     "policy.not_listed"},
    {"a locked project permits what it lists", "open | project profile=locked @t=allow", "t",
     "permit"},
    {"the order of the layers does not matter", "open | project @t=ask | user @t=deny", "t",
     "policy.denied"},
    {"two trusted layers: the stricter", "open | user @t=allow | user @t=ask", "t", "ask tool"},
    {"our own help passes every profile", "locked | user profile=locked", "own job_output",
     "permit"},
    {"unless it is denied by name", "open | project @job_output=deny", "own job_output",
     "policy.denied"},
    {"or asked for by name", "open | user @job_output=ask", "own job_output", "ask tool"},
};

TEST(Policy, FollowsTheTable) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(describe(decide(parse_policy(c.policy), parse_facts(c.facts))), c.want);
  }
}

// Whatever a project says, the answer is never weaker than without it.
TEST(Policy, NoProjectLoosensAnything) {
  constexpr std::string_view kUsers[] = {"", "| user profile=careful", "| user @t=deny",
                                         "| user profile=locked network=ask", "| user shell=ask"};
  constexpr std::string_view kProjects[] = {
      "profile=open",   "@t=allow", "network=allow",      "profile=careful shell=allow",
      "profile=locked", "@t=deny",  "@t=ask network=deny"};
  for (const std::string_view usual : {"open ", "careful ", "locked "}) {
    for (const std::string_view user : kUsers) {
      const std::string base = std::string(usual) + std::string(user);
      for (const std::string_view project : kProjects) {
        const std::string whole = base + "| project " + std::string(project);
        for (const char* facts : {"t", "t shell,network", "bash", "t long_running"}) {
          SCOPED_TRACE(whole + " : " + facts);
          EXPECT_GE(decide(parse_policy(whole), parse_facts(facts)).index(),
                    decide(parse_policy(base), parse_facts(facts)).index());
        }
      }
    }
  }
}

TEST(Policy, ThePermitCarriesTheLimits) {
  Policy policy = parse_policy("open | user @a=ask");
  policy.limits.open_files = 64;
  EXPECT_EQ(std::get<Permit>(decide(policy, {.tool = "t"})).limits().open_files, 64U);
  EXPECT_EQ(std::get<Question>(decide(policy, {.tool = "a"})).permit.limits().open_files, 64U);
}

TEST(Policy, ARefusalNamesTheFieldAndTheFile) {
  const Case texts[] = {
      {"by name", "open | project @t=deny", "t",
       "t is not permitted: policy.tools.t is \"deny\" in helve.json"},
      {"by label", "open | user network=deny", "t shell,network",
       "t is not permitted: policy.labels.network is \"deny\" in the user's helve.json "
       "(~/.config/helve/helve.json) or the file of --config"},
      {"locked", "locked", "t network",
       "t is not permitted: the profile is \"locked\", and no rule lists it"},
  };
  for (const Case& c : texts) {
    SCOPED_TRACE(c.name);
    const Decision decision = decide(parse_policy(c.policy), parse_facts(c.facts));
    ASSERT_TRUE(std::holds_alternative<Refusal>(decision));
    EXPECT_EQ(render(std::get<Refusal>(decision)).message, c.want);
  }
}

TEST(Policy, AQuestionNamesTheFileThatItsOwnerCanChange) {
  const Case ways[] = {
      {"the user's", "open | user @t=ask", "t", "the user's helve.json"},
      {"the profile's", "careful", "t shell", "the user's helve.json"},
      {"a project's, which the user's word does not undo", "open | user @t=allow | project @t=ask",
       "t", "in helve.json, which asks"},
  };
  for (const Case& c : ways) {
    SCOPED_TRACE(c.name);
    const Decision decision = decide(parse_policy(c.policy), parse_facts(c.facts));
    ASSERT_TRUE(std::holds_alternative<Question>(decision));
    const auto& question = std::get<Question>(decision);
    EXPECT_TRUE(render(refusal_of(question, Unanswered::kCannotAsk)).next.contains(c.want));
  }
}

TEST(Policy, EveryEndOfAQuestionHasItsOwnWords) {
  const Question question{"t", {"shell", "network"}, Permit::owner()};
  const struct {
    Unanswered how;
    const char *rule, *message;
  } cases[] = {
      {Unanswered::kCannotAsk, "policy.cannot_ask",
       "t needs a person's yes (it runs a shell; it uses the network), and this client cannot ask "
       "for one"},
      {Unanswered::kDeclined, "policy.declined", "the person said no to t"},
      {Unanswered::kCancelled, "policy.cancelled",
       "the question whether t may run was closed without an answer"},
      {Unanswered::kUnavailable, "policy.unavailable",
       "t needs a person's yes (it runs a shell; it uses the network), and the client declined by "
       "itself; nobody was asked"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.rule);
    const Rendered said = render(refusal_of(question, c.how));
    EXPECT_EQ(said.rule, c.rule);
    EXPECT_EQ(said.message, c.message);
    EXPECT_FALSE(said.next.contains("{tool}"));
  }
}

TEST(Policy, EveryWordReadsBack) {
  for (const Verdict verdict : {Verdict::kAllow, Verdict::kAsk, Verdict::kDeny}) {
    EXPECT_EQ(verdict_of(name_of(verdict)), verdict);
  }
  for (const Profile profile : {Profile::kOpen, Profile::kCareful, Profile::kLocked}) {
    EXPECT_EQ(profile_of(name_of(profile)), profile);
  }
  EXPECT_FALSE(verdict_of("Allow"));
  EXPECT_FALSE(profile_of(""));
  for (const std::string_view label : risk_labels()) {
    EXPECT_NE(reason_text({"t", {std::string(label)}, Permit::owner()}),
              text("policy.reason.tool"));
  }
}

}  // namespace
}  // namespace helve::policy
