// tool/testing/run.h
//
// Tests only: runs a coroutine to its end on a loop of its own, and small tools to call.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>

#include "base/check.h"
#include "tool/registry.h"

namespace helve::tool::testing {

template <typename T>
T run(boost::asio::awaitable<T> work) {
  boost::asio::io_context context;
  std::optional<T> result;
  boost::asio::co_spawn(context, std::move(work), [&](std::exception_ptr error, T value) {
    if (error) std::rethrow_exception(error);
    result = std::move(value);
  });
  context.run();
  HELVE_CHECK(result);
  return *std::move(result);
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

}  // namespace helve::tool::testing
