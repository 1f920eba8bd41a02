// tool/testing/run.h
//
// Tests only: a registry and a session on a loop of its own, and small tools to call.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>

#include "base/check.h"
#include "tool/registry.h"

namespace helve::tool::testing {

// One client of one registry.
class World {
 public:
  boost::asio::io_context context;  // outlives the timers of the tools
  Registry registry;
  std::shared_ptr<Session> session = std::make_shared<Session>();

  // Starts work without waiting for its end.
  template <typename T>
  std::shared_ptr<std::optional<T>> start(boost::asio::awaitable<T> work) {
    auto result = std::make_shared<std::optional<T>>();
    boost::asio::co_spawn(context, std::move(work), [result](std::exception_ptr error, T value) {
      if (error) std::rethrow_exception(error);
      *result = std::move(value);
    });
    poll();
    return result;
  }
  // Runs until it has ended.
  template <typename T>
  T run(boost::asio::awaitable<T> work) {
    const auto result = start(std::move(work));
    context.restart();
    while (!*result && context.run_one() > 0) {
    }
    HELVE_CHECK(*result);
    return **result;
  }
  void poll() {
    context.restart();
    context.poll();
  }

  Answer call(CallRequest request) { return run(registry.call(session, std::move(request))); }
  Answer call(const std::string& tool, Json arguments = nullptr) {
    return call({.tool = tool, .arguments = std::move(arguments)});
  }
};

inline std::string rule_of(const Answer& answer) {
  const Json* refusal = find(answer.meta, "io.helve/refusal");
  return refusal == nullptr ? "" : std::string(find_text(*refusal, "rule").value_or(""));
}

// A tool that always answers this.
inline Tool constant(std::string name, Result<Answer> answer) {
  return {.name = std::move(name),
          .description = "Answers always the same.",
          .input = JsonObject{{"type", "object"}, {"properties", JsonObject()}},
          .run = [answer](Call&) -> boost::asio::awaitable<Result<Answer>> { co_return answer; }};
}

// A tool that answers with the arguments it got.
inline Tool mirror(std::string name, Json input) {
  return {.name = std::move(name),
          .description = "Answers with its arguments.",
          .input = std::move(input),
          .run = [](Call& call) -> boost::asio::awaitable<Result<Answer>> {
            co_return Answer{.text = write_json(call.arguments)};
          }};
}

// A job that says "begun", and ends when `gate` is cancelled, or it is.
inline Tool patient(std::string name, std::shared_ptr<boost::asio::steady_timer> gate) {
  return {
      .name = std::move(name),
      .description = "Waits.",
      .input = JsonObject{{"type", "object"}, {"properties", JsonObject()}},
      .run = [gate](Call& call) -> boost::asio::awaitable<Result<Answer>> {
        call.cancellation->on_request([gate](Duration) { gate->cancel(); });
        call.progress({.done = 1, .total = 2, .message = "begun"});
        boost::system::error_code error;
        co_await gate->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, error));
        const bool stopped = call.cancellation->requested();
        co_return Answer{.is_error = stopped, .text = stopped ? "stopped" : "the end"};
      },
      .job = true};
}

inline std::shared_ptr<boost::asio::steady_timer> closed_gate(World& world) {
  return std::make_shared<boost::asio::steady_timer>(world.context, Clock::time_point::max());
}

}  // namespace helve::tool::testing
