// What a command costs through Process: jobs per second and the host's own processor time, with
// and without a large host; and how fast much output is kept or spilled, beside what the shell's
// own pipes and files do with the same bytes.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "base/ids.h"
#include "process/means.h"
#include "process/process.h"

namespace helve::process {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kStream = 1024 * kMiB;

Spawn spawn_of(std::vector<std::string> argv, const policy::Confinement& confinement = {}) {
  policy::Command command{
      .argv = argv, .program = argv.front(), .folder = "/", .confinement = confinement};
  return {.allowed = *policy::allow(policy::Permit::owner(), std::move(command))};
}

boost::asio::awaitable<void> run_one(os::Loop& loop, Spawn spawn, std::uint64_t& bytes) {
  auto process = co_await Process::start(loop, std::move(spawn));
  HELVE_CHECK(process.has_value());
  const Ended ended = co_await (*process)->wait();
  HELVE_CHECK(ended.result_code() == 0);
  bytes += ended.out.bytes;
}

boost::asio::awaitable<void> run_until_empty(os::Loop& loop, int& left) {
  std::uint64_t bytes = 0;
  while (left-- > 0) co_await run_one(loop, spawn_of({"/bin/true"}), bytes);
}

double own_cpu_us() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

// Arguments: commands at once, MiB of memory that the host holds.
void fan_out(benchmark::State& state) {
  constexpr int kJobs = 10000;
  const std::string ballast(static_cast<size_t>(state.range(1)) * kMiB, 'x');
  benchmark::DoNotOptimize(ballast.data());
  double cpu = 0;
  for ([[maybe_unused]] auto _ : state) {
    os::Loop loop;
    int left = kJobs;
    const double before = own_cpu_us();
    for (int i = 0; i < state.range(0); ++i) loop.spawn(run_until_empty(loop, left));
    loop.run();
    cpu += own_cpu_us() - before;
  }
  const double jobs = kJobs * static_cast<double>(state.iterations());
  state.counters["jobs_per_s"] = benchmark::Counter(jobs, benchmark::Counter::kIsRate);
  state.counters["host_cpu_us_per_job"] = cpu / jobs;
}

// One after the other: what a single step waits.
void leaf(benchmark::State& state) {
  constexpr int kJobs = 3000;
  for ([[maybe_unused]] auto _ : state) {
    os::Loop loop;
    int left = kJobs;
    loop.spawn(run_until_empty(loop, left));
    loop.run();
  }
  const double jobs = kJobs * static_cast<double>(state.iterations());
  state.counters["us_per_job"] =
      benchmark::Counter(jobs / 1e6, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void one_by_one(benchmark::State& state, int jobs, const std::function<Spawn()>& make) {
  for ([[maybe_unused]] auto _ : state) {
    os::Loop loop;
    loop.spawn([&]() -> boost::asio::awaitable<void> {
      std::uint64_t bytes = 0;
      for (int i = 0; i < jobs; ++i) co_await run_one(loop, make(), bytes);
    });
    loop.run();
  }
  const double done = jobs * static_cast<double>(state.iterations());
  state.counters["us_per_job"] =
      benchmark::Counter(done / 1e6, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// As the tool `bash` starts one: its tree is waited for, too.
void leaf_with_its_tree(benchmark::State& state) {
  one_by_one(state, 3000, [] {
    Spawn spawn = spawn_of({"/bin/true"});
    spawn.quiet = std::chrono::milliseconds(100);
    spawn.umask = 022;
    spawn.nice = 5;
    spawn.oom_score_adj = 500;
    return spawn;
  });
}

void leaf_fenced(benchmark::State& state, policy::Confine level, int jobs) {
  if (!resolve({.level = level})) return state.SkipWithError("not possible on this machine");
  const policy::Confinement confinement{.level = level, .writable = {"/tmp"}};
  one_by_one(state, jobs, [&] { return spawn_of({"/bin/true"}, confinement); });
}

// A file of 1 GiB, made once, in a folder that goes with the program.
class Source {
 public:
  Source() : folder_(std::filesystem::temp_directory_path() / ("helve-bench-" + random_hex(8))) {
    std::filesystem::create_directory(folder_);
    std::ofstream out(file());
    const std::string chunk(kMiB, 'x');
    for (std::uint64_t i = 0; i < kStream / kMiB; ++i) out << chunk;
  }
  ~Source() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string file() const { return folder_ / "in"; }
  std::string copy() const { return folder_ / "out"; }

 private:
  std::filesystem::path folder_;
};

const Source& source() {
  static const Source kSource;
  return kSource;
}

void stream(benchmark::State& state, const std::function<Spawn()>& make) {
  source();
  for ([[maybe_unused]] auto _ : state) {
    state.PauseTiming();
    std::filesystem::remove(source().copy());
    Spawn spawn = make();
    state.ResumeTiming();
    os::Loop loop;
    std::uint64_t bytes = 0;
    loop.spawn(run_one(loop, std::move(spawn), bytes));
    loop.run();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(kStream) * state.iterations());
}

void keep_tail(benchmark::State& state) {
  stream(state, [] { return spawn_of({"cat", source().file()}); });
}
void shell_pipe(benchmark::State& state) {
  stream(state, [] {
    return spawn_of({"/bin/sh", "-c", "cat '" + source().file() + "' | cat >/dev/null"});
  });
}
void spill_all(benchmark::State& state) {
  stream(state, [] {
    Spawn spawn = spawn_of({"cat", source().file()});
    spawn.out = {.tail = kMiB, .spill = source().copy(), .spill_limit = 4 * kStream};
    return spawn;
  });
}
void shell_file(benchmark::State& state) {
  stream(state, [] {
    // Through a pipe, as ours has to: from file to file, cat lets the kernel copy.
    return spawn_of(
        {"/bin/sh", "-c", "cat '" + source().file() + "' | cat >'" + source().copy() + "'"});
  });
}

BENCHMARK(fan_out)->Args({2, 0})->Args({1, 0})->Args({2, 1024})->Iterations(1)->UseRealTime();
BENCHMARK(leaf)->Iterations(1)->UseRealTime();
BENCHMARK(leaf_with_its_tree)->Iterations(1)->UseRealTime();
BENCHMARK_CAPTURE(leaf_fenced, paths, policy::Confine::kPaths, 3000)->Iterations(1)->UseRealTime();
BENCHMARK_CAPTURE(leaf_fenced, full, policy::Confine::kFull, 300)->Iterations(1)->UseRealTime();
BENCHMARK(keep_tail)->Iterations(3)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(shell_pipe)->Iterations(3)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(spill_all)->Iterations(3)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(shell_file)->Iterations(3)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace helve::process
