#include <cstdio>

#include "base/text.h"
#include "base/texts.h"
#include "tool/detail/arguments.h"
#include "tool/detail/bound.h"
#include "tool/registry.h"

namespace helve::tool {
namespace {

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

}  // namespace

Answer refusal_answer(const Refusal& refusal) {
  Answer answer{.is_error = true, .text = render_text(refusal)};
  answer.meta[kRefusalKey] = JsonObject{{"rule", refusal.rule}, {"details", refusal.details}};
  return answer;
}

boost::asio::awaitable<Answer> Registry::call(Session& session, std::string name, Json arguments,
                                              std::shared_ptr<Cancellation> cancellation,
                                              std::function<void(Progress)> progress) {
  const auto found = rows_.find(name);
  if (found == rows_.end()) co_return refusal_answer({"tool.unknown", {{"tool", name}}});
  const Row& row = found->second;
  const Tool& tool = tools_[row.index];

  // What is refused here goes through the same bound: a refusal may quote what it was given.
  const auto refused = [&](const Refusal& refusal) {
    Result<Answer> answer = bound(refusal_answer(refusal), tool, answer_limit);
    return answer ? *std::move(answer) : refusal_answer(answer.error());
  };
  Result<JsonObject> read = read_arguments(tool, row.input, std::move(arguments));
  if (!read) co_return refused(read.error());

  Call call{std::move(name), *std::move(read), session, std::move(cancellation),
            std::move(progress)};
  Result<Answer> answer = co_await tool.run(call);
  if (!answer) co_return refused(answer.error());
  if (const auto kept = keep_promise(tool, row.output, *answer); !kept) {
    co_return refused(kept.error());
  }
  mirror(*answer);
  answer = bound(*std::move(answer), tool, answer_limit);
  if (!answer) co_return refused(answer.error());
  repair(*answer);
  co_return *std::move(answer);
}

}  // namespace helve::tool
