#include "tool/detail/approval.h"

#include "base/text.h"
#include "base/texts.h"

namespace helve::tool {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kKey = "helve_approval";
constexpr auto kNobodyIsThatFast = 200ms;
constexpr size_t kDeclinedByItself = 3;  // so many in a row: nobody is being asked
// Bytes of what would run. Of a longer one every step is still there, with its two ends.
constexpr size_t kMostPreview = 16'000;
constexpr size_t kHeadOfLine = 1500, kTailOfLine = 500;

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(WallClock::now().time_since_epoch())
      .count();
}

std::string cut_mark(size_t bytes) {
  return text("approval.cut", {{"bytes", std::to_string(bytes)}});
}

std::string shortened_line(std::string_view line) {
  if (line.size() <= kHeadOfLine + kTailOfLine) return std::string(line);
  const size_t head = utf8_floor(line, kHeadOfLine);
  const size_t tail = utf8_ceil(line, line.size() - kTailOfLine);
  return std::string(line.substr(0, head)) + cut_mark(tail - head) + std::string(line.substr(tail));
}

// A step is a line: no word of a command has a line end that is not written as an escape.
std::string shortened(const std::string& preview) {
  if (preview.size() <= kMostPreview) return preview;
  std::string out;
  for (const std::string_view line : split(preview, '\n')) {
    if (!out.empty()) out += '\n';
    out += shortened_line(line);
  }
  if (out.size() <= kMostPreview) return out;
  const size_t kept = utf8_floor(out, kMostPreview);
  return out.substr(0, kept) + '\n' + cut_mark(out.size() - kept);
}

std::string preview_of(const Tool& tool, const JsonObject& arguments) {
  if (!tool.preview) return write_json(arguments);
  const Result<std::string> preview = tool.preview(arguments);
  if (!preview) return render(preview.error()).message;
  return shortened(to_utf8(*preview));
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

// What a yes holds for: this tool, as it is now.
std::string subject_of(const Tool& tool) { return tool.name + '\n' + tool.digest; }

Needs ask(const Tool& tool, JsonObject form) {
  return {.requests = {{std::string(kKey), "elicitation/create", std::move(form)}},
          .state = JsonObject{{"asked", now_ms()}, {"of", subject_of(tool)}}};
}

// The outcome "unavailable", told from a person's no by how fast or how often it came.
bool nobody_was_asked(const Session& session, std::int64_t asked_ms) {
  return now_ms() - asked_ms < std::chrono::milliseconds(kNobodyIsThatFast).count() ||
         session.declined_in_a_row >= kDeclinedByItself;
}

Refusal declined(Session& session, const policy::Question& question, std::int64_t asked_ms) {
  if (session.remembers()) ++session.declined_in_a_row;  // of many clients they tell nothing
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
  if (wants_no_more_questions(result)) session.remember(subject_of(tool));
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

// The stricter of what holds for the tool and for the one that the call came through.
policy::Decision decide(const policy::Policy& policy, const Tool& tool, std::string_view via) {
  auto decision = policy::decide(policy, facts_of(tool));
  if (via.empty() || std::holds_alternative<Refusal>(decision)) return decision;
  auto way = policy::decide(policy, {.tool = std::string(via), .own = true});
  return std::holds_alternative<policy::Permit>(way) ? std::move(decision) : std::move(way);
}

}  // namespace

Approval approve(const policy::Policy& policy, Session& session, const Tool& tool,
                 std::string_view via, const JsonObject& arguments, Asks can_ask, Round& round) {
  auto decision = decide(policy, tool, via);
  const Json state = take_state(round);
  if (auto* refusal = std::get_if<Refusal>(&decision)) return std::move(*refusal);
  if (auto* permit = std::get_if<policy::Permit>(&decision)) return Approved{std::move(*permit)};

  const auto& question = std::get<policy::Question>(decision);
  const Json* approved = find(state, "approved");
  const bool same = find_text(state, "of") == subject_of(tool);
  const bool before = same && approved != nullptr && *approved == Json(true);
  if (before || (!tool.digest.empty() && session.remembered(subject_of(tool)))) {
    return Approved{question.permit, true};
  }
  if (!can_ask.form) return policy::refusal_of(question, policy::Unanswered::kCannotAsk);
  const Json* result = round.inputs.if_contains(kKey);
  const Json* asked = find(state, "asked");
  if (result == nullptr || asked == nullptr || !asked->is_int64() || !same) {
    return ask(tool, form_of(session, tool, arguments, question));
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

Needs with_approval(Needs needs, const Tool* approved) {
  JsonObject state{{"tool", std::move(needs.state)}};
  if (approved != nullptr) {
    state["approved"] = true;
    state["of"] = subject_of(*approved);
  }
  needs.state = std::move(state);
  return needs;
}

}  // namespace helve::tool
