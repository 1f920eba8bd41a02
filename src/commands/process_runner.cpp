#include "commands/process_runner.h"

#include "base/texts.h"

namespace helve::commands {

namespace asio = boost::asio;
using asio::awaitable;

namespace {

constexpr int kUnavailable = 74;  // EX_IOERR; CT-72
constexpr int kCancelledCode = 130;

LeafEnd refused(const Refusal& refusal, std::string_view reason, int code,
                const std::vector<std::string>& secrets = {}) {
  LeafEnd end;
  end.run.status = Status::kFailed;
  end.run.exit = code;
  end.run.reason = reason;
  end.run.started_at = WallClock::now();
  end.run.err.text = mask(render_text(refusal), secrets);
  end.run.err.bytes = end.run.err.text.size();
  return end;
}

LeafEnd never_started() {
  LeafEnd end;
  end.run.status = Status::kCancelled;
  end.run.exit = kCancelledCode;
  end.run.reason = "cancelled";
  end.run.started_at = WallClock::now();
  return end;
}

Stream stream_of(process::Output&& output) {
  Stream stream = Stream::of(std::move(output.tail));
  stream.bytes = output.bytes;
  stream.complete = output.complete || stream.tail().size() == output.bytes;
  stream.file = std::move(output.spilled);
  stream.path = std::move(output.file);
  return stream;
}

}  // namespace

ProcessRunner::ProcessRunner(os::Loop& loop, RunnerOptions options)
    : loop_(loop), options_(std::move(options)), slots_(options_.jobs) {}

std::filesystem::path ProcessRunner::next_spill() {
  if (options_.spills.empty()) return {};
  return options_.spills / ("join-" + std::to_string(++joins_));
}

awaitable<void> ProcessRunner::blocking(std::function<void()> work) {
  return loop_.on_pool(std::move(work));
}

awaitable<LeafEnd> ProcessRunner::run(Leaf leaf, Stop& stop) {
  if (!leaf.input.complete) {
    co_return refused(
        {.rule = "run.input_incomplete", .args = {{"bytes", std::to_string(leaf.input.bytes)}}},
        "input_incomplete", kUnavailable);
  }
  if (!co_await slots_.acquire(stop)) co_return never_started();
  LeafEnd end = co_await start(leaf, stop);
  slots_.release();
  co_return end;
}

awaitable<LeafEnd> ProcessRunner::start(const Leaf& leaf, Stop& stop) {
  auto allowed = policy::allow(options_.permit, {.argv = leaf.step.argv,
                                                 .program = leaf.step.program,
                                                 .folder = options_.cwd,
                                                 .variables = options_.variables,
                                                 .confinement = options_.confinement});
  if (!allowed) co_return refused(allowed.error(), "spawn_error", 126);
  auto process = co_await process::Process::start(loop_, spawn(leaf, *std::move(allowed)));
  if (!process) {
    co_return refused(process.error(), "spawn_error", process::refusal_code(process.error()),
                      options_.secrets);
  }
  const Stop::Listener end_it(stop, [&](Duration grace) { (*process)->stop(grace); });
  co_return ended(co_await (*process)->wait(), stop);
}

process::Capture ProcessRunner::capture(size_t index, const char* stream,
                                        std::uint64_t limit) const {
  process::Capture capture{.tail = options_.tail_bytes, .spill_limit = limit};
  if (!options_.spills.empty()) {
    capture.spill = options_.spills / (std::to_string(index) + stream);
  }
  return capture;
}

process::Spawn ProcessRunner::spawn(const Leaf& leaf, policy::Allowed allowed) const {
  return {.allowed = std::move(allowed),
          .input = leaf.input.input(),
          .out = capture(leaf.index, ".out", options_.pipe_bytes),
          .err = capture(leaf.index, ".err", options_.spill_bytes),
          .timeout = leaf.step.timeout,
          .timeout_grace = options_.grace,
          .die_with_parent = options_.die_with_parent};
}

Kept ProcessRunner::kept(const process::Output& output) const {
  Kept kept = keep(output.tail, output.bytes, options_.secrets);
  if (output.spilled) {
    kept.file = output.file;
    kept.file_truncated = !output.complete;
  }
  return kept;
}

LeafEnd ProcessRunner::ended(process::Ended&& end, const Stop& stop) const {
  using How = process::Ended::How;
  LeafEnd result;
  StepRun& run = result.run;
  run.exit = end.result_code();
  run.signal = end.signal;
  run.killed = end.killed;
  run.lingered = end.lingered;
  run.started_at = end.started_at;
  run.duration = end.duration;
  run.cpu = end.cpu;
  run.out = kept(end.out);
  run.err = kept(end.err);
  result.out = stream_of(std::move(end.out));
  if (end.how == How::kStopped || (stop.requested() && run.exit != 0)) {
    run.status = Status::kCancelled;
    run.exit = kCancelledCode;
    run.reason = "cancelled";
  } else if (end.how == How::kTimedOut) {
    run.status = Status::kTimedOut;
    run.reason = "timeout";
  } else if (run.exit != 0) {
    run.status = Status::kFailed;
    run.reason = end.signal != 0 ? "signal" : "nonzero_exit";
  } else {
    run.status = Status::kOk;
  }
  return result;
}

}  // namespace helve::commands
