#include "commands/executor.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "commands/detail/outcomes.h"

namespace helve::commands {

namespace asio = boost::asio;
using asio::awaitable;
using tmpl::Failure;
using tmpl::Step;

namespace {

constexpr int kTimedOutCode = 124;  // CT-73

// Sleeps, or less if the stop is requested.
awaitable<void> sleep(Duration duration, Stop& stop) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  timer.expires_after(duration);
  const Stop::Listener wake(stop, [&](Duration) { timer.cancel(); });
  if (!stop.requested()) co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

// CT-67: a group whose children are all skipped is skipped itself.
bool is_skipped(const Step& step) {
  if (step.skip != Step::Skip::kNo) return true;
  return step.kind != Step::Kind::kLeaf && std::ranges::all_of(step.children, is_skipped);
}

}  // namespace

Executor::Executor(Runner& runner, Recorder& recorder, ExecutorOptions options)
    : runner_(runner), recorder_(recorder), options_(options) {}

awaitable<Outcome> Executor::run(const Step& root, Stream input, Stop& stop) {
  return node(root, std::move(input), stop, Context());
}

awaitable<Outcome> Executor::node(const Step& step, Stream input, Stop& stop, Context context) {
  if (step.skip != Step::Skip::kNo) {
    recorder_.skip(step, step.skip == Step::Skip::kWhen ? "when" : "repeat=0", context.recover);
    co_return Outcome{.status = Status::kSkipped, .out = std::move(input)};
  }
  if (step.delay > Duration(0) && !is_skipped(step)) co_await sleep(step.delay, stop);
  if (stop.requested()) {
    recorder_.skip(step, "stopped", context.recover);
    co_return cancelled_outcome();
  }
  co_return co_await attempts(step, input, stop, context);
}

awaitable<Outcome> Executor::attempts(const Step& step, const Stream& input, Stop& stop,
                                      Context context) {
  for (std::int64_t number = 1;; ++number) {
    Outcome outcome = co_await attempt(step, input, number, stop, context);
    if (!failed(outcome.status) || number >= step.retry) co_return outcome;
    if (stop.requested()) co_return cancelled_outcome();
    if (!step.recover) continue;
    const Context inside{.recover = true, .strict = true, .group_attempt = number};
    Outcome recovery = co_await node(*step.recover, outcome.out, stop, inside);
    if (recovery.status == Status::kCancelled) co_return recovery;
    if (failed(recovery.status) && step.recover->failure != Failure::kContinue) {
      recovery.scope = Failure::kContinue;  // the node's own scope decides what follows
      recovery.out = Stream();
      co_return recovery;
    }
  }
}

awaitable<Outcome> Executor::attempt(const Step& step, const Stream& input, std::int64_t number,
                                     Stop& stop, Context context) {
  if (step.kind == Step::Kind::kLeaf) return leaf(step, input, number, stop, context);
  if (step.retry > 1) context.group_attempt = number;
  return step.timeout > Duration(0) ? bounded_group(step, input, stop, context)
                                    : group(step, input, stop, context);
}

awaitable<Outcome> Executor::group(const Step& step, const Stream& input, Stop& stop,
                                   Context context) {
  return step.kind == Step::Kind::kSequence ? sequence(step, input, stop, context)
                                            : parallel(step, input, stop, context);
}

awaitable<Outcome> Executor::bounded_group(const Step& step, const Stream& input, Stop& stop,
                                           Context context) {
  Stop inner(stop);
  bool fired = false;
  bool ended = false;
  asio::steady_timer timer(co_await asio::this_coro::executor);
  timer.expires_after(step.timeout);
  timer.async_wait([&](auto error) {
    if (error || ended) return;
    fired = true;
    inner.request(options_.grace);
  });
  Outcome outcome = co_await group(step, input, inner, context);
  ended = true;
  // A handler that is already queued would still run: wait until it has been told.
  timer.cancel();
  co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
  if (!fired || stop.requested()) co_return outcome;
  outcome.status = Status::kTimedOut;
  outcome.code = kTimedOutCode;
  outcome.scope = Failure::kContinue;
  outcome.reason = "timeout";
  co_return outcome;
}

awaitable<Outcome> Executor::leaf(const Step& step, const Stream& input, std::int64_t number,
                                  Stop& stop, Context context) {
  const size_t index = recorder_.start(step, number, context.group_attempt, context.recover);
  LeafEnd end = co_await runner_.run({step, input, index}, stop);
  Outcome outcome{.status = end.run.status,
                  .code = end.run.exit,
                  .out = std::move(end.out),
                  .err = end.run.err.text,
                  .reason = end.run.reason};
  if (!succeeded(outcome.status)) outcome.failures = {index};
  recorder_.finish(index, std::move(end.run));
  co_return outcome;
}

// CT-82: the strongest of the child's own scope, the group's, and the one that its result carries.
Failure Executor::applied(const Step& child, Failure group, Outcome& outcome) {
  const Failure scope =
      std::max({child.failure.value_or(Failure::kContinue), group, outcome.scope});
  if (child.kind == Step::Kind::kLeaf && !outcome.failures.empty()) {
    recorder_.scope_applied(outcome.failures.back(), scope);
  }
  return scope;
}

void Executor::leave_out(const std::vector<Step>& children, size_t from, Context context) {
  for (; from < children.size(); ++from) recorder_.skip(children[from], "stopped", context.recover);
}

awaitable<Outcome> Executor::sequence(const Step& step, Stream input, Stop& stop, Context context) {
  const Failure group = group_failure(step, context.strict);
  context.strict = false;
  Outcome result{.status = Status::kSkipped, .out = input};
  bool any_succeeded = false;
  Outcome last_failure;
  for (size_t i = 0; i < step.children.size(); ++i) {
    const Step& child = step.children[i];
    Outcome outcome = co_await node(child, input, stop, context);
    if (outcome.status == Status::kSkipped) continue;  // stdin passes through (CT-67)
    append(result.failures, outcome.failures);
    if (outcome.status == Status::kCancelled) {
      leave_out(step.children, i + 1, context);
      outcome.failures = std::move(result.failures);
      co_return outcome;
    }
    if (succeeded(outcome.status)) {
      any_succeeded = true;
      result.status =
          std::max(result.status == Status::kSkipped ? Status::kOk : result.status, outcome.status);
      input = result.out = std::move(outcome.out);
      continue;
    }
    const Failure scope = applied(child, group, outcome);
    if (scope != Failure::kContinue) {
      leave_out(step.children, i + 1, context);
      outcome.scope = scope;
      outcome.out = Stream();  // CT-83: the last child that ran has failed
      outcome.failures = std::move(result.failures);
      co_return outcome;
    }
    result.status = Status::kDegraded;
    input = result.out = Stream();
    last_failure = std::move(outcome);
  }
  if (result.status == Status::kDegraded && !any_succeeded) {  // CT-86
    last_failure.scope = Failure::kContinue;
    last_failure.out = Stream();
    last_failure.failures = std::move(result.failures);
    co_return last_failure;
  }
  co_return result;
}

}  // namespace helve::commands
