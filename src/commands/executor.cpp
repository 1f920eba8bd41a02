#include "commands/executor.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/check.h"
#include "base/text.h"

namespace helve::commands {

namespace asio = boost::asio;
using asio::awaitable;
using tmpl::Failure;
using tmpl::Step;

namespace {

constexpr int kTimedOutCode = 124;   // CT-73
constexpr int kCancelledCode = 130;  // CT-73
constexpr size_t kQuotedStderr = 1000;

Outcome cancelled() {
  return {.status = Status::kCancelled, .code = kCancelledCode, .reason = "cancelled"};
}

// Sleeps, or less if the stop is requested.
awaitable<void> sleep(Duration duration, Stop& stop) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  timer.expires_after(duration);
  const Stop::Listener wake(stop, [&](Duration) { timer.cancel(); });
  if (!stop.requested()) co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

// A group of a recovery that says nothing is strict (CT-89).
Failure group_failure(const Step& step, bool strict) {
  return step.failure.value_or(strict ? Failure::kBranch : Failure::kContinue);
}

void append(std::vector<size_t>& to, const std::vector<size_t>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::string label_of(const Step& child, size_t index) {
  return child.label.empty() ? "branch " + std::to_string(index + 1) : child.label;
}

// CT-77: the last 1000 characters, without line ends behind them.
std::string quoted_stderr(std::string_view err) {
  while (err.ends_with('\n')) err.remove_suffix(1);
  size_t from = err.size();
  for (size_t characters = 0; from > 0 && characters < kQuotedStderr; ++characters) {
    from = utf8_floor(err, from - 1);
  }
  return std::string(err.substr(from));
}

}  // namespace

Executor::Executor(Runner& runner, Recorder& recorder, ExecutorOptions options)
    : runner_(runner), recorder_(recorder), options_(options) {}

awaitable<Outcome> Executor::run(const Step& root, Stream input, Stop& stop) {
  return node(root, std::move(input), stop, Context());
}

namespace {

// CT-67: a group whose children are all skipped is skipped itself.
bool is_skipped(const Step& step) {
  if (step.skip != Step::Skip::kNo) return true;
  return step.kind != Step::Kind::kLeaf && std::ranges::all_of(step.children, is_skipped);
}

}  // namespace

awaitable<Outcome> Executor::node(const Step& step, Stream input, Stop& stop, Context context) {
  if (step.skip != Step::Skip::kNo) {
    recorder_.skip(step, step.skip == Step::Skip::kWhen ? "when" : "repeat=0", context.recover);
    co_return Outcome{.status = Status::kSkipped, .out = std::move(input)};
  }
  if (step.delay > Duration(0) && !is_skipped(step)) co_await sleep(step.delay, stop);
  if (stop.requested()) {
    recorder_.skip(step, "stopped", context.recover);
    co_return cancelled();
  }
  co_return co_await attempts(step, input, stop, context);
}

awaitable<Outcome> Executor::attempts(const Step& step, const Stream& input, Stop& stop,
                                      Context context) {
  for (std::int64_t number = 1;; ++number) {
    Outcome outcome = co_await attempt(step, input, number, stop, context);
    if (!failed(outcome.status) || number >= step.retry) co_return outcome;
    if (stop.requested()) co_return cancelled();
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

struct Executor::Parallel {
  Parallel(const Step& node, const Stream& given, Stop& outer, Context inside, Failure scope,
           const asio::any_io_executor& executor)
      : step(node),
        input(given),
        stop(outer),
        context(inside),
        group(scope),
        outcomes(node.children.size()),
        scopes(node.children.size(), Failure::kContinue),
        done(executor, Clock::time_point::max()) {}

  const Step& step;
  const Stream& input;
  Stop stop;
  Context context;
  Failure group;
  std::vector<Outcome> outcomes;
  std::vector<Failure> scopes;  // that were applied to failed children
  size_t next = 0;
  size_t workers = 0;
  asio::steady_timer done;  // cancelled by the last worker
};

awaitable<void> Executor::parallel_worker(Parallel& state) {
  while (state.next < state.step.children.size()) {
    const size_t i = state.next++;
    const Step& child = state.step.children[i];
    Outcome& outcome = state.outcomes[i];
    outcome = co_await node(child, state.input, state.stop, state.context);
    if (!failed(outcome.status)) continue;
    state.scopes[i] = applied(child, state.group, outcome);
    if (state.scopes[i] == Failure::kRoot && options_.abort_siblings) {
      state.stop.request(options_.grace);
    }
  }
}

awaitable<void> Executor::run_children(Parallel& state) {
  const auto executor = co_await asio::this_coro::executor;
  state.workers = std::min(options_.width, state.step.children.size());
  for (size_t i = state.workers; i > 0; --i) {
    asio::co_spawn(executor, parallel_worker(state), [&state](const std::exception_ptr& error) {
      HELVE_CHECK(!error);
      if (--state.workers == 0) state.done.cancel();
    });
  }
  while (state.workers > 0) co_await state.done.async_wait(asio::as_tuple(asio::use_awaitable));
}

void Executor::record(const Parallel& state) {
  ParallelRun run{.step = &state.step};
  for (size_t i = 0; i < state.outcomes.size(); ++i) {
    const Outcome& child = state.outcomes[i];
    run.children.push_back({.label = label_of(state.step.children[i], i),
                            .status = child.status,
                            .exit = child.code,
                            .reason = child.reason});
  }
  recorder_.parallel(std::move(run));
}

// The children's endings as one: skipped if all are, ok if nothing went wrong, else degraded, with
// every failure that counts. A sibling that was cut off has not failed by itself.
Outcome Executor::sum_up(const Parallel& state, bool stopped) {
  Outcome sum{.status = Status::kSkipped};
  for (const Outcome& child : state.outcomes) {
    if (child.status != Status::kCancelled || stopped) append(sum.failures, child.failures);
    if (child.status == Status::kSkipped) continue;
    const Status seen = child.status == Status::kOk ? Status::kOk : Status::kDegraded;
    sum.status = sum.status == Status::kSkipped ? seen : std::max(sum.status, seen);
  }
  return sum;
}

// The failure that makes the node fail, if one does: a root failure (CT-85); or the first one,
// where the node is strict (CT-84) or nothing succeeded (CT-80).
const Outcome* Executor::deciding(const Parallel& state) {
  const Outcome* first = nullptr;
  bool any_succeeded = false;
  for (size_t i = 0; i < state.outcomes.size(); ++i) {
    const Outcome& child = state.outcomes[i];
    any_succeeded |= succeeded(child.status);
    if (!failed(child.status)) continue;
    if (state.scopes[i] == Failure::kRoot) return &child;
    if (first == nullptr) first = &child;
  }
  return state.group == Failure::kBranch || !any_succeeded ? first : nullptr;
}

awaitable<Outcome> Executor::parallel(const Step& step, const Stream& input, Stop& stop,
                                      Context context) {
  const Failure group = group_failure(step, context.strict);
  context.strict = false;
  Parallel state(step, input, stop, context, group, co_await asio::this_coro::executor);
  co_await run_children(state);
  record(state);
  Outcome result = sum_up(state, stop.requested());
  if (stop.requested()) {
    Outcome ended = cancelled();
    ended.failures = std::move(result.failures);
    co_return ended;
  }
  if (result.status == Status::kSkipped) {
    result.out = input;
    co_return result;
  }
  result.out = co_await join(step, state.outcomes);
  if (const Outcome* failure = deciding(state)) {
    const auto index = static_cast<size_t>(failure - state.outcomes.data());
    const bool root = state.scopes[index] == Failure::kRoot;
    result.status = failure->status;
    result.code = failure->code;
    result.err = failure->err;
    result.reason = failure->reason;
    result.scope = root ? Failure::kRoot : group == Failure::kBranch ? group : Failure::kContinue;
  }
  co_return result;
}

awaitable<Stream> Executor::join(const Step& step, const std::vector<Outcome>& children) {
  std::uint64_t bytes = 0;
  for (const Outcome& child : children) bytes += child.out.bytes;
  Joiner joiner(options_.join_memory,
                bytes > options_.join_memory ? runner_.next_spill() : std::filesystem::path());
  const auto build = [&] {
    for (size_t i = 0; i < children.size(); ++i) {
      const Outcome& child = children[i];
      if (joiner.last() != '\0' && joiner.last() != '\n') joiner.add("\n");
      joiner.add("--- branch: " + label_of(step.children[i], i) +
                 " status: " + std::string(join_name(child.status)) + " ---");
      if (succeeded(child.status) && child.out.bytes > 0) {
        joiner.add("\n");
        joiner.add(child.out);
      } else if (failed(child.status)) {
        joiner.add("\nexit: " + std::to_string(child.code));
        const std::string err = quoted_stderr(child.err);
        if (!err.empty()) joiner.add("\nstderr: " + err);
      }
    }
  };
  if (bytes > options_.join_memory) {
    co_await runner_.blocking(build);
  } else {
    build();
  }
  co_return std::move(joiner).finish();
}

}  // namespace helve::commands
