// 400 lines at the start and in the middle of a file of 1 GiB, with and without an index of it,
// beside `sed -n 'a,bp;bq'`; and 1 MiB page by page. The file is in the page cache.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/check.h"
#include "workspace/detail/file_read.h"

namespace helve::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLarge = 1ULL << 30U;
constexpr std::size_t kLine = 64;  // bytes, as in source files and logs

// A file of such lines, gone at the end of the program.
class Sample {
 public:
  explicit Sample(std::uint64_t size) {
    const std::string filler(kLine - 12, 'x');
    std::ofstream out(path_, std::ios::binary);
    for (std::uint64_t line = 0; line < size / kLine; ++line) {
      std::string number = std::to_string(line);
      out << std::string(10 - number.size(), '0') << number << ' ' << filler << '\n';
    }
    HELVE_CHECK(out.flush());
    ::usleep(200'000);  // as files are: not just written
  }
  ~Sample() { fs::remove(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_ = fs::temp_directory_path() / ("helve-bench-" + std::to_string(::getpid()));
};

const Sample& large() {
  static const Sample kSample(kLarge);
  return kSample;
}

FileRead read(const fs::path& path, LineIndexes& indexes, const PageRequest& request) {
  Opened opened{.fd = os::UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC))};
  HELVE_CHECK(opened.fd && ::fstat(opened.fd.get(), &opened.status) == 0);
  auto read = read_opened(opened, "file", indexes, request, nullptr);
  HELVE_CHECK(read);
  return *std::move(read);
}

std::int64_t middle() { return static_cast<std::int64_t>(kLarge / kLine / 2); }

void BM_Cold(benchmark::State& state, std::int64_t offset) {
  large();
  for (auto _ : state) {
    LineIndexes indexes;
    benchmark::DoNotOptimize(read(large().path(), indexes, {.offset = offset}));
  }
}

void BM_Warm(benchmark::State& state, std::int64_t offset) {
  LineIndexes indexes;
  read(large().path(), indexes, {.offset = offset});
  for (auto _ : state) {
    benchmark::DoNotOptimize(read(large().path(), indexes, {.offset = offset}));
  }
}

void BM_Sed(benchmark::State& state, std::int64_t offset) {
  const std::string last = std::to_string(offset + 400);
  const std::string command = "sed -n '" + std::to_string(offset + 1) + ',' + last + "p;" + last +
                              "q' " + large().path().string() + " >/dev/null";
  for (auto _ : state) HELVE_CHECK(std::system(command.c_str()) == 0);
}

void BM_PageByPage(benchmark::State& state) {
  static const Sample kSample(1 << 20U);
  for (auto _ : state) {
    LineIndexes indexes;
    PageRequest request{.limit = 500};  // the cap
    for (bool more = true; more;) {
      const FileRead page = read(kSample.path(), indexes, request);
      more = page.page.next.has_value();
      if (more) request.offset = page.page.next->offset;
    }
  }
}

BENCHMARK_CAPTURE(BM_Cold, start, 0)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Warm, start, 0)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Sed, start, 0)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Cold, middle, middle())->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Warm, middle, middle())->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Sed, middle, middle())->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PageByPage)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace helve::workspace
