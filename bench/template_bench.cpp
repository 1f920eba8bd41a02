// The figures stated for command templates: splitting, compiling, expanding one leaf with ten
// placeholders, and a parallel repeat of ten thousand instances.
#include <benchmark/benchmark.h>

#include <string>

#include "template/parts.h"
#include "template/template.h"

namespace {

using helve::Json;
using helve::JsonObject;
using helve::tmpl::Place;
using helve::tmpl::Template;

std::string long_template() {
  std::string out = "render";
  while (out.size() < 60'000) out += " --input=shots/scene.blend 'two words' --level 9 {name}";
  return out;
}

void Split(benchmark::State& state) {
  const std::string text = long_template();
  for (auto _ : state) benchmark::DoNotOptimize(helve::tmpl::split_words(text));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(Split);

void Compile(benchmark::State& state) {
  std::string text = "render";
  while (text.size() < 8'000) text += " --input=shots/scene.blend 'two words' --level 9 {name}";
  const Json node(text);
  for (auto _ : state) benchmark::DoNotOptimize(Template::compile(node));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(Compile);

void ExpandLeafOfTenPlaceholders(benchmark::State& state) {
  const auto compiled = Template::compile(
      Json("render {a} {b} --c={c} {d??x} {e?yes:no} {f[1]} {g=1} {h} {i}/{j}.png"));
  const JsonObject values = {{"a", "scene.blend"},
                             {"b", "out.png"},
                             {"c", 9},
                             {"d", "fast"},
                             {"e", true},
                             {"f", helve::JsonArray{"x", "y"}},
                             {"h", "hall"},
                             {"i", "/srv/images/today"},
                             {"j", "frame"}};
  const Place place{.cwd = "/srv", .home = "/home/u"};
  for (auto _ : state) benchmark::DoNotOptimize(compiled->expand(values, place));
}
BENCHMARK(ExpandLeafOfTenPlaceholders);

void ExpandParallelRepeat(benchmark::State& state) {
  helve::tmpl::Options options;
  options.limits.nodes = 200'000;
  const auto compiled =
      Template::compile(JsonObject{{"parallel", true},
                                   {"repeat", state.range(0)},
                                   {"defaults", JsonObject{{"shot", "{prefix}-{_index}"}}},
                                   {"template", "shot {shot} {_(index+1)} of {repeat}"}},
                        options);
  const JsonObject values = {{"prefix", "wide"}};
  for (auto _ : state) benchmark::DoNotOptimize(compiled->expand(values, {.cwd = "/srv"}));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(ExpandParallelRepeat)->Arg(1'000)->Arg(10'000)->Arg(100'000);

}  // namespace
