// The parallel node: its children at once, their outputs as one text (CT-76 to CT-85).
#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/check.h"
#include "base/text.h"
#include "commands/detail/outcomes.h"
#include "commands/executor.h"

namespace helve::commands {

namespace asio = boost::asio;
using asio::awaitable;
using tmpl::Failure;
using tmpl::Step;

namespace {

constexpr size_t kQuotedStderr = 1000;

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
    Outcome ended = cancelled_outcome();
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
