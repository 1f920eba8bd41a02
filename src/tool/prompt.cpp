// The one way to get a prompt.
#include <algorithm>
#include <boost/asio/steady_timer.hpp>

#include "base/text.h"
#include "base/texts.h"
#include "tool/detail/approval.h"
#include "tool/detail/open_call.h"
#include "tool/detail/row.h"

namespace helve::tool {
namespace {

namespace asio = boost::asio;

constexpr Duration kStopGrace = std::chrono::seconds(2);

Refusal bad_argument(const Prompt& prompt, std::string_view argument, const char* problem) {
  return {
      "prompt.argument",
      {{"prompt", prompt.name}, {"argument", std::string(argument)}, {"problem", text(problem)}}};
}

// Prompt arguments are texts, and the protocol has no schema for them.
Result<JsonObject> read_texts(const Prompt& prompt, const Json& sent) {
  const JsonObject none;
  if (!sent.is_null() && !sent.is_object()) {
    return std::unexpected(bad_argument(prompt, "arguments", "prompt.not_an_object"));
  }
  const JsonObject& values = sent.is_null() ? none : sent.get_object();
  for (const auto& [name, value] : values) {
    if (std::ranges::find(prompt.arguments, std::string_view(name), &PromptArgument::name) ==
        prompt.arguments.end()) {
      return std::unexpected(bad_argument(prompt, name, "prompt.no_such_argument"));
    }
    if (!value.is_string()) return std::unexpected(bad_argument(prompt, name, "prompt.not_text"));
  }
  for (const PromptArgument& argument : prompt.arguments) {
    if (argument.required && !values.contains(argument.name)) {
      return std::unexpected(bad_argument(prompt, argument.name, "prompt.missing"));
    }
  }
  return values;
}

// Cancels a call that takes too long.
class TimeLimit {
 public:
  TimeLimit(const asio::any_io_executor& executor, std::shared_ptr<Cancellation> call)
      : timer_(executor), call_(std::move(call)) {}

  void start(Duration limit) {
    timer_.expires_after(limit);
    timer_.async_wait([passed = passed_, call = call_](const boost::system::error_code& error) {
      if (error) return;
      *passed = true;
      call->request(kStopGrace);
    });
  }
  bool passed() const { return *passed_; }

 private:
  asio::steady_timer timer_;
  std::shared_ptr<Cancellation> call_;
  std::shared_ptr<bool> passed_ = std::make_shared<bool>(false);
};

PromptAnswer as_prompt(const Prompt& prompt, Answer answer) {
  PromptAnswer out{.description = prompt.description, .needs = std::move(answer.needs)};
  out.messages.push_back(
      JsonObject{{"role", "user"},
                 {"content", JsonObject{{"type", "text"}, {"text", std::move(answer.text)}}}});
  return out;
}

}  // namespace

asio::awaitable<Result<PromptAnswer>> Registry::get_prompt(std::shared_ptr<Session> session,
                                                           CallRequest request) {
  const Session::Use use(*session);
  const auto row = find_prompt(request.tool);
  if (!row) co_return refuse("prompt.unknown", {{"prompt", request.tool}});
  const Prompt& prompt = row->prompt;
  auto values = read_texts(prompt, request.arguments);
  if (!values) co_return std::unexpected(values.error());
  if (!request.cancellation) request.cancellation = std::make_shared<Cancellation>();
  if (row->source) {
    request.arguments = *std::move(values);
    const bool told = static_cast<bool>(request.progress);
    TimeLimit limit(co_await asio::this_coro::executor, request.cancellation);
    if (!told) limit.start(prompt_wait);
    const Answer given = co_await answer(session, row->source, std::move(request));
    if (given.is_error && limit.passed()) {
      co_return refuse("prompt.too_long",
                       {{"prompt", prompt.name}, {"time", duration_text(prompt_wait)}});
    }
    if (given.is_error) {
      co_return refuse("prompt.failed", {{"prompt", prompt.name}, {"reason", given.text}});
    }
    co_return as_prompt(prompt, given);
  }
  take_state(request.round);
  const OpenCall open(*session, request.cancellation, false);
  Call call = make_call(*session, request, *std::move(values), policy::Permit::owner());
  auto got = co_await prompt.get(call);
  if (!got) co_return got;
  PromptAnswer& given = *got;
  if (given.needs) given.needs = with_approval(*std::move(given.needs), nullptr);
  co_return got;
}

}  // namespace helve::tool
