// Rendering a command's output, beside copying the same bytes; bounding a large text.
#include <benchmark/benchmark.h>

#include "workspace/bounded.h"
#include "workspace/output.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kSize = 16 << 20;
constexpr std::size_t kChunk = 1 << 20;

std::string repeated(std::string_view line) {
  std::string text;
  while (text.size() < kSize) text += line;
  return text;
}

const std::string& sample(std::int64_t kind) {
  static const std::string kSamples[] = {
      repeated("src/workspace/output.cpp:42: some words of a usual length, as compilers write\n"),
      repeated("the same of another system, where a line ends with two characters\r\n"),
      repeated("\x1b[1;32mok\x1b[0m a test with \x1b[36mcolours\x1b[0m in its line\n"),
      repeated("gr\u00f6\u00dfer \u2264 \u4e2d\u6587\u5b57\u7b26 nicht nur ASCII\n"),
      repeated("\r 42% [########            ] 12.3 MB/s"),
      repeated("no line end at all "),
      repeated("y\n"),
  };
  return kSamples[kind];
}

void set_processed(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

void render(benchmark::State& state) {
  const std::string& bytes = sample(state.range(0));
  std::string out;
  for (auto _ : state) {
    Output output;
    for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
      out.clear();
      output.feed(std::string_view(bytes).substr(at, kChunk), out);
      benchmark::DoNotOptimize(out.data());
    }
  }
  set_processed(state, bytes.size());
}
BENCHMARK(render)->DenseRange(0, 6);

void copy(benchmark::State& state) {
  const std::string& bytes = sample(0);
  std::string out;
  for (auto _ : state) {
    for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
      out.assign(bytes, at, kChunk);
      benchmark::DoNotOptimize(out.data());
    }
  }
  set_processed(state, bytes.size());
}
BENCHMARK(copy);

void bound(benchmark::State& state) {
  const std::string& text = sample(0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(bound_text(text, 30'000, 36'000, {.path = ".helve/results/c.txt"}));
  }
  set_processed(state, text.size());
}
BENCHMARK(bound);

}  // namespace
}  // namespace helve::workspace
