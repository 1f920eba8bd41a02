#include "tool/detail/approval.h"

#include "base/text.h"
#include "base/texts.h"

namespace helve::tool {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kKey = "helve_approval";
constexpr auto kNobodyIsThatFast = 200ms;
constexpr size_t kDeclinedByItself = 3;  // so many in a row: nobody is being asked
constexpr size_t kMostPreview = 4000;    // bytes of what would run

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(WallClock::now().time_since_epoch())
      .count();
}

std::string preview_of(const Tool& tool, const JsonObject& arguments) {
  if (!tool.preview) return write_json(arguments);
  const Result<std::string> preview = tool.preview(arguments);
  if (!preview) return render(preview.error()).message;
  if (preview->size() <= kMostPreview) return *preview;
  return to_utf8(preview->substr(0, kMostPreview)) +
         text("approval.cut", {{"bytes", std::to_string(preview->size() - kMostPreview)}});
}

// Accepting is the yes; the only field is whether to ask again.
JsonObject form_of(const Session& session, const Tool& tool, const JsonObject& arguments,
                   const policy::Question& question) {
  JsonObject properties;
  if (session.remembers()) {
    properties["remember"] = JsonObject{{"type", "boolean"},
                                        {"title", text("approval.remember")},
                                        {"description", text("approval.remember.about")},
                                        {"default", false}};
  }
  return {
      {"mode", "form"},
      {"message", text("approval.question", {{"tool", tool.name},
                                             {"reasons", policy::reason_text(question)},
                                             {"preview", preview_of(tool, arguments)}})},
      {"requestedSchema", JsonObject{{"type", "object"}, {"properties", std::move(properties)}}}};
}

Needs ask(JsonObject form) {
  return {.requests = {{std::string(kKey), "elicitation/create", std::move(form)}},
          .state = JsonObject{{"asked", now_ms()}}};
}

// The outcome "unavailable", told from a person's no by how fast or how often it came.
bool nobody_was_asked(const Session& session, std::int64_t asked_ms) {
  return now_ms() - asked_ms < std::chrono::milliseconds(kNobodyIsThatFast).count() ||
         session.declined_in_a_row >= kDeclinedByItself;
}

Refusal declined(Session& session, const policy::Question& question, std::int64_t asked_ms) {
  ++session.declined_in_a_row;
  return policy::refusal_of(question, nobody_was_asked(session, asked_ms)
                                          ? policy::Unanswered::kUnavailable
                                          : policy::Unanswered::kDeclined);
}

bool wants_no_more_questions(const Json& result) {
  const Json* content = find(result, "content");
  const Json* remember = content == nullptr ? nullptr : find(*content, "remember");
  return remember != nullptr && remember->is_bool() && remember->get_bool();
}

Approval read_outcome(Session& session, const Tool& tool, const policy::Question& question,
                      const Json& result, std::int64_t asked_ms) {
  const auto action = find_text(result, "action").value_or("");
  if (action == "decline") return declined(session, question, asked_ms);
  if (action != "accept") return policy::refusal_of(question, policy::Unanswered::kCancelled);
  session.declined_in_a_row = 0;
  if (wants_no_more_questions(result)) session.remember(tool.digest);
  return Approved{question.permit, true};
}

policy::Facts facts_of(const Tool& tool) {
  return {.tool = tool.name,
          .labels = tool.labels,
          .read_only = tool.annotations.read_only,
          .destructive = tool.annotations.destructive,
          .open_world = tool.annotations.open_world,
          .own = tool.own};
}

}  // namespace

Approval approve(const policy::Policy& policy, Session& session, const Tool& tool,
                 const JsonObject& arguments, Asks can_ask, Round& round) {
  auto decision = policy::decide(policy, facts_of(tool));
  const Json state = take_state(round);
  if (auto* refusal = std::get_if<Refusal>(&decision)) return std::move(*refusal);
  if (auto* permit = std::get_if<policy::Permit>(&decision)) return Approved{std::move(*permit)};

  const auto& question = std::get<policy::Question>(decision);
  const Json* approved = find(state, "approved");
  const bool before = approved != nullptr && *approved == Json(true);
  if (before || (!tool.digest.empty() && session.remembered(tool.digest))) {
    return Approved{question.permit, true};
  }
  if (!can_ask.form) return policy::refusal_of(question, policy::Unanswered::kCannotAsk);
  const Json* result = round.inputs.if_contains(kKey);
  const Json* asked = find(state, "asked");
  if (result == nullptr || asked == nullptr || !asked->is_int64()) {
    return ask(form_of(session, tool, arguments, question));
  }
  const Json answered = *result;
  round.inputs.erase(kKey);
  return read_outcome(session, tool, question, answered, asked->get_int64());
}

Json take_state(Round& round) {
  Json state = std::exchange(round.state, nullptr);
  if (const Json* inner = find(state, "tool")) round.state = *inner;
  return state;
}

Needs with_approval(Needs needs, bool asked) {
  JsonObject state{{"tool", std::move(needs.state)}};
  if (asked) state["approved"] = true;
  needs.state = std::move(state);
  return needs;
}

}  // namespace helve::tool
