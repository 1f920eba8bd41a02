// Reading and writing one JSON-RPC line, with Boost.JSON's own parser and serializer beside ours.
#include <benchmark/benchmark.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/json.h"
#include "base/refusal.h"

namespace helve {
namespace {

std::string small_call() {
  return R"({"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"bash","arguments":)"
         R"({"command":"ls -la src","timeout":30},"_meta":{"progressToken":"t1"}}})";
}

// About 64 KiB of members, numbers, escapes and text that is not ASCII.
std::string large_answer() {
  JsonArray rows;
  for (int i = 0; i < 512; ++i) {
    rows.push_back(JsonObject{{"id", i},
                              {"ratio", i / 7.0},
                              {"name", "row \"" + std::to_string(i) + "\"\n"},
                              {"words", "größer als zuvor, und noch ein Stück länger"},
                              {"flags", JsonArray{true, nullptr, "plain ascii text"}}});
  }
  return write_json(JsonObject{{"jsonrpc", "2.0"}, {"result", std::move(rows)}});
}

std::string line(std::int64_t large) { return large != 0 ? large_answer() : small_call(); }

void parse_ours(benchmark::State& state) {
  const std::string text = line(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(parse_json(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(parse_ours)->Arg(0)->Arg(1);

void parse_boost(benchmark::State& state) {
  const std::string text = line(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(boost::json::parse(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(parse_boost)->Arg(0)->Arg(1);

void write_ours(benchmark::State& state) {
  const std::string text = line(state.range(0));
  const Json value = parse_json(text).value();
  for (auto _ : state) benchmark::DoNotOptimize(write_json(value));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(write_ours)->Arg(0)->Arg(1);

void write_boost(benchmark::State& state) {
  const std::string text = line(state.range(0));
  const Json value = parse_json(text).value();
  for (auto _ : state) benchmark::DoNotOptimize(boost::json::serialize(value));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(write_boost)->Arg(0)->Arg(1);

}  // namespace
}  // namespace helve
