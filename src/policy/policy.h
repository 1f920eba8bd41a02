// policy/policy.h
//
// Whether one call may run: the owner's words about tools and risk labels, layer over layer, held
// against what is known of the tool. A Permit, a Question that only a person can answer, or a
// Refusal. How a person is asked, and what is remembered, is elsewhere. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/refusal.h"
#include "policy/permit.h"

namespace helve::policy {

enum class Verdict : std::uint8_t { kAllow, kAsk, kDeny };  // in the order of strictness
enum class Profile : std::uint8_t { kOpen, kCareful, kLocked };

// One configuration file's word.
struct Rules {
  std::optional<Profile> profile;
  std::map<std::string, Verdict, std::less<>> labels, tools;
  bool trusted = true;  // the user's; a project's can only tighten
  std::string file;     // as sentences name it; empty: the user's own
  bool operator==(const Rules&) const = default;
};

struct Policy {
  std::vector<Rules> layers;
  Profile usual = Profile::kOpen;  // where no trusted layer has a word; set by the face
  Limits limits;
};

struct Facts {
  std::string tool;
  std::vector<std::string> labels;  // CT-97, without "risk."
  // For the words of a question. No verdict comes from them: a project could claim anything.
  bool read_only = false, destructive = true, open_world = true;
  bool own = false;  // the host's own help (job_output, tool_search): only its name counts
};

struct Question {
  std::string tool;
  std::vector<std::string> reasons;  // labels; or "tool": by its name. Never empty
  Permit permit;                     // what it may do once the person has said yes
  std::string file;                  // the project's file that asks; empty: what the user decides
};

using Decision = std::variant<Permit, Question, Refusal>;

// Within a layer the tool's name decides, else the strictest word on its labels, where the profile
// speaks for each label that the layer does not list; a tool without labels has the profile's word.
// The trusted layers' strictest word holds, and the usual profile's if they have none; the other
// layers tighten it.
// Refused: policy.denied {tool, reason, field, file}, policy.not_listed {tool, missing, file}.
Decision decide(const Policy& policy, const Facts& facts);

// How a question ended without a yes.
enum class Unanswered : std::uint8_t {
  kCannotAsk,    // the client has no way to ask
  kDeclined,     // the person said no
  kCancelled,    // the person closed the question
  kUnavailable,  // the client declined by itself: not the person's word
};
// policy.cannot_ask {tool, reason}, policy.declined {tool}, policy.cancelled {tool},
// policy.unavailable {tool, reason}.
Refusal refusal_of(const Question& question, Unanswered how);

// "it is a shell; it uses the network": for a person who decides.
std::string reason_text(const Question& question);

std::span<const std::string_view> risk_labels();  // all that there are, in the order of CT-97
bool careful_asks(std::string_view label);        // in the profile "careful"

std::optional<Verdict> verdict_of(std::string_view word);  // allow, ask, deny
std::optional<Profile> profile_of(std::string_view word);  // open, careful, locked
std::string_view name_of(Verdict verdict);
std::string_view name_of(Profile profile);

}  // namespace helve::policy
