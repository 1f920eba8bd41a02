// The one way to call a tool, step by step.
#include <cstdio>

#include "base/hash.h"
#include "base/sorted_json.h"
#include "base/text.h"
#include "base/texts.h"
#include "os/waiting.h"
#include "tool/detail/approval.h"
#include "tool/detail/arguments.h"
#include "tool/detail/bound.h"
#include "tool/detail/open_call.h"
#include "tool/detail/row.h"
#include "tool/search_tools.h"

namespace helve::tool {
namespace {

namespace asio = boost::asio;

constexpr std::string_view kRefusalKey = "io.helve/refusal";
constexpr std::string_view kEncodingKey = "io.helve/encoding";

// A tool that breaks its own output schema is our bug: the caller is told so, the log too (R5).
Refusal broken_promise(const Tool& tool, const schema::Schema& output, const Answer& answer) {
  std::string problem = text("tool.no_structured");
  if (answer.structured) {
    const auto found = output.validate(*answer.structured, 1);
    problem = found.empty() ? "" : found.front().instance + " " + found.front().message;
  }
  Refusal refusal{"tool.answer_broken", {{"tool", tool.name}, {"problem", std::move(problem)}}};
  std::fprintf(stderr, "%s\n", render(refusal).message.c_str());
  return refusal;
}

// R5: a success conforms to the declared schema, an error carries no structured part.
Result<void> keep_promise(const Tool& tool, const std::optional<schema::Schema>& output,
                          Answer& answer) {
  if (answer.is_error) {
    answer.structured.reset();
  } else if (output && (!answer.structured || !output->accepts(*answer.structured))) {
    return std::unexpected(broken_promise(tool, *output, answer));
  }
  return {};
}

// Text first and always (5.2).
void mirror(Answer& answer) {
  if (answer.text.empty() && answer.structured) answer.text = write_json(*answer.structured);
}

// Valid UTF-8 (R14), as the writer would write it anyway; the mark fits into the envelope's room.
void repair(Answer& answer) {
  if (is_utf8(answer.text)) return;
  answer.text = to_utf8(answer.text);
  answer.meta[kEncodingKey] = JsonObject{{"replaced", true}};
}

// The digest that a repeated call must share with the first of its name. No arguments are an empty
// object, and the order of them is nothing.
std::string digest_of(const CallRequest& request) {
  const bool none = request.arguments.is_null();
  return sha256_hex(request.tool + '\n' +
                    sorted_text(none ? Json(JsonObject()) : request.arguments));
}

void keep_approval(Answer& answer, const Tool* approved) {
  if (answer.needs) answer.needs = with_approval(*std::move(answer.needs), approved);
}

}  // namespace

Answer refusal_answer(const Refusal& refusal) {
  Answer answer{.is_error = true, .text = render_text(refusal)};
  answer.meta[kRefusalKey] = JsonObject{{"rule", refusal.rule}, {"details", refusal.details}};
  return answer;
}

asio::awaitable<Answer> Registry::call(std::shared_ptr<Session> session, CallRequest request) {
  const Session::Use use(*session);
  if (!request.cancellation) request.cancellation = std::make_shared<Cancellation>();
  if (!called_) co_return co_await unrecorded(session, std::move(request));
  const auto began = Clock::now();
  CallRecord begun{.at = WallClock::now(), .session = session->id(), .tool = request.tool};
  const auto row = find_row(request.tool);
  if (row && row->tool.subject && request.arguments.is_object()) {
    begun.subject = row->tool.subject(request.arguments.get_object());
  }
  const auto cancellation = request.cancellation;
  const Answer answer = co_await unrecorded(session, std::move(request));
  record(begun, answer, cancellation->requested(), began);
  co_return answer;
}

void Registry::record(const CallRecord& begun, const Answer& answer, bool cancelled,
                      Clock::time_point began) const {
  CallRecord record = begun;
  record.took = Clock::now() - began;
  record.bytes = answer.text.size();
  record.outcome = cancelled         ? "cancelled"
                   : answer.needs    ? "asked"
                   : answer.is_error ? "failed"
                                     : "ok";
  const Json* refusal = helve::find(answer.meta, kRefusalKey);
  if (refusal != nullptr) record.outcome = find_text(*refusal, "rule").value_or("failed");
  for (const char* key : {"io.helve/data", "io.helve/job"}) {
    const Json* facts = helve::find(answer.meta, key);
    if (facts == nullptr) continue;
    record.job = find_text(*facts, facts->get_object().contains("job") ? "job" : "id").value_or("");
  }
  called_(record);
}

asio::awaitable<Answer> Registry::unrecorded(std::shared_ptr<Session> session,
                                             CallRequest request) {
  if (const auto meant = unwrap_tool_call(request); !meant) co_return refused(meant.error(), {});
  const auto row = find_row(request.tool);
  if (!row) co_return refused({"tool.unknown", {{"tool", request.tool}}}, {});
  if (!request.idempotency_key.empty()) co_return co_await once(session, row, std::move(request));
  co_return co_await answer(session, row, std::move(request));
}

asio::awaitable<Answer> Registry::once(std::shared_ptr<Session> session,
                                       std::shared_ptr<const Row> row, CallRequest request) {
  const std::string key = session->principal() + '\n' + request.idempotency_key;
  const std::string digest = digest_of(request);
  const auto now = Clock::now();
  if (const auto before = repeats_.find(key, now)) {
    if (before->digest != digest) {
      co_return finish(*row, refuse("call.key_reused", {{"key", request.idempotency_key}}));
    }
    if (!before->answer) {
      co_await os::wait_until([&](auto react) { before->waiting.push_back(std::move(react)); },
                              Clock::time_point::max());
    }
    co_return before->answer.value_or(Answer{});
  }
  const auto entry = repeats_.begin(key, digest, now);
  bool ran = false;
  try {
    Answer given = co_await answer(session, row, std::move(request), &ran);
    repeats_.finish(entry, given, ran);
    co_return given;
  } catch (const std::exception& error) {  // who waits for it must not wait for ever
    const Refusal thrown{"tool.thrown", {{"tool", row->tool.name}, {"reason", error.what()}}};
    repeats_.finish(entry, refused(thrown, row->tool), ran);
    throw;
  }
}

asio::awaitable<Answer> Registry::answer(std::shared_ptr<Session> session,
                                         std::shared_ptr<const Row> row, CallRequest request,
                                         bool* ran) {
  Result<Answer> outcome = co_await attempt(session, row, std::move(request), ran);
  co_return finish(*row, std::move(outcome));
}

Registry::Attempt Registry::attempt(std::shared_ptr<Session> session,
                                    std::shared_ptr<const Row> row, CallRequest request,
                                    bool* ran) {
  Result<JsonObject> arguments =
      read_arguments(row->tool, row->input, std::move(request.arguments));
  if (!arguments) co_return std::unexpected(arguments.error());
  Approval approval = approve(policy_, *session, row->tool, request.via, *arguments,
                              request.can_ask, request.round);
  if (auto* refusal = std::get_if<Refusal>(&approval)) co_return std::unexpected(*refusal);
  if (auto* needs = std::get_if<Needs>(&approval)) co_return Answer{.needs = std::move(*needs)};
  auto& approved = std::get<Approved>(approval);

  Result<Answer> outcome;
  if (row->tool.job && session->jobs().full()) {
    co_return std::unexpected(session->jobs().too_many(job_names));
  }
  if (ran != nullptr) *ran = true;
  if (row->tool.job) {
    outcome = co_await run_job(session, row, std::move(request), *std::move(arguments),
                               std::move(approved.permit));
  } else {
    const OpenCall open(*session, request.cancellation, false);
    Call call = make_call(*session, request, *std::move(arguments), std::move(approved.permit));
    outcome = co_await row->tool.run(call);
  }
  if (outcome) keep_approval(*outcome, approved.asked ? &row->tool : nullptr);
  co_return outcome;
}

// What is refused goes through the same bound as an answer: it may quote what it was given.
Answer Registry::refused(const Refusal& refusal, const Tool& tool) const {
  Result<Answer> answer = bound(refusal_answer(refusal), tool, answer_limit);
  if (answer) return *std::move(answer);
  Refusal plain = refusal;  // the sentences can be cut, the details are what cannot
  plain.details = nullptr;
  answer = bound(refusal_answer(plain), tool, answer_limit);
  return answer ? *std::move(answer) : refusal_answer(answer.error());
}

Answer Registry::finish(const Row& row, Result<Answer> outcome) const {
  if (outcome && outcome->needs) return *std::move(outcome);
  if (!outcome) return refused(outcome.error(), row.tool);
  if (const auto kept = keep_promise(row.tool, row.output, *outcome); !kept) {
    return refused(kept.error(), row.tool);
  }
  mirror(*outcome);
  outcome = bound(*std::move(outcome), row.tool, answer_limit);
  if (!outcome) return refused(outcome.error(), row.tool);
  repair(*outcome);
  return *std::move(outcome);
}

}  // namespace helve::tool
