// `edit` through the registry, as a face calls it, in small and large files; what reading and
// writing the same bytes once costs; and the search for the nearest place in a large file.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include "os/files.h"
#include "workspace/no_match.h"
#include "workspace/testing/desk.h"

namespace helve::workspace {
namespace {

using testing::Desk;

std::string text_of(std::size_t size) {
  std::string out;
  for (std::size_t i = 0; out.size() < size; ++i) {
    out += "  value_" + std::to_string(i) + " = compute(" + std::to_string(i * 7) + ");\n";
  }
  return out.replace(size / 2, 15, "here, old state");
}

void edit(benchmark::State& state, bool durable) {
  Settings settings;
  settings.durable = durable;
  Desk desk(settings);
  desk.put("f", text_of(static_cast<std::size_t>(state.range(0))));
  bool is_old = true;
  for (auto _ : state) {
    const std::string from = is_old ? "old" : "new", to = is_old ? "new" : "old";
    const auto answer = desk.edit("f", "here, " + from + " state", "here, " + to + " state");
    if (answer.is_error) state.SkipWithError(answer.text.c_str());
    is_old = !is_old;
  }
}
void BM_Edit(benchmark::State& state) { edit(state, false); }
void BM_EditDurably(benchmark::State& state) { edit(state, true); }
BENCHMARK(BM_Edit)
    ->Arg(64 << 10)
    ->Arg(10 << 20)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(BM_EditDurably)
    ->Arg(10 << 20)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

// The least that a durable replacement costs: read, write beside, fdatasync, rename, fsync folder.
void BM_ReadAndWriteDurably(benchmark::State& state) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "f", temporary = folder.path() / "f.tmp";
  testing::put_bytes(file, text_of(static_cast<std::size_t>(state.range(0))));
  const os::UniqueFd in(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (auto _ : state) {
    const auto bytes = os::read_file(file, 1 << 30);
    const os::UniqueFd out(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    const bool done = bytes && os::write_all(out.get(), *bytes) == 0 &&
                      ::fdatasync(out.get()) == 0 &&
                      ::rename(temporary.c_str(), file.c_str()) == 0 && ::fsync(in.get()) == 0;
    if (!done) state.SkipWithError("the disk");
  }
}
BENCHMARK(BM_ReadAndWriteDurably)
    ->Arg(10 << 20)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

void BM_Write(benchmark::State& state) {
  Desk desk;
  std::string text = text_of(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    text[text.size() / 3] ^= 1;
    const auto answer = desk.write("f", text);
    if (answer.is_error) state.SkipWithError(answer.text.c_str());
  }
}
BENCHMARK(BM_Write)
    ->Arg(1 << 10)
    ->Arg(1 << 20)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

void BM_NearestPlace(benchmark::State& state, const std::string& old_text) {
  const std::string text = text_of(64 << 20);
  for (auto _ : state) benchmark::DoNotOptimize(explain_no_match(text, old_text));
}
BENCHMARK_CAPTURE(BM_NearestPlace, a_line, std::string("  value_900000 = computes(6300000);\n"))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_NearestPlace, some_lines,
                  std::string("  value_9 = compute(63);\n  value_10 = compute(71);\n"))
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace helve::workspace
