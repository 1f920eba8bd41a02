// The log of a job that floods: what a MiB of output costs the loop, in memory alone and with the
// files behind it; and what a poll costs.
#include <benchmark/benchmark.h>

#include "tool/detail/disk_log.h"
#include "tool/job_log.h"
#include "tool/testing/disk.h"

namespace {

using namespace helve;

std::string chunk_of(size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += "a line of a flood that says little\n";
  text.resize(bytes);
  return text;
}

void job_log_memory(benchmark::State& state) {
  tool::JobLog log;
  const std::string chunk = chunk_of(static_cast<size_t>(state.range(0)));
  for (auto _ : state) log.add_rendered(chunk);
  state.SetBytesProcessed(static_cast<std::int64_t>(log.end()));
}
BENCHMARK(job_log_memory)->Arg(80)->Arg(64 << 10)->Arg(1 << 20);

void job_log_disk(benchmark::State& state) {
  const tool::testing::TemporaryFolder folder;
  os::Loop loop;
  tool::JobLog log;
  const tool::LogLimits limits;
  log.spill_to(std::make_shared<tool::DiskLog>(
      loop, std::make_shared<tool::LogFiles>(folder.path, "log", limits), limits,
      std::make_shared<tool::DiskQuota>()));
  const std::string chunk = chunk_of(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    log.add_rendered(chunk);
    loop.context().restart();
    loop.context().poll();
  }
  tool::testing::settle(loop);
  state.SetBytesProcessed(static_cast<std::int64_t>(log.end()));
}
BENCHMARK(job_log_disk)->Arg(64 << 10)->Arg(1 << 20);

void job_log_poll(benchmark::State& state) {
  os::Loop loop;
  tool::JobLog log;
  log.add(chunk_of(200'000));
  for (auto _ : state) {
    benchmark::DoNotOptimize(tool::testing::run_on(loop, log.fetch(log.end() - 1000)));
  }
}
BENCHMARK(job_log_poll);

}  // namespace
