// One query over 200 tools, as tool_search runs it: nothing is kept between two searches.
#include <benchmark/benchmark.h>

#include "base/refusal.h"
#include "tool/search.h"

namespace helve::tool {
namespace {

struct Texts {
  std::string name, title, description;
  Json input;
};

// About 70 words a tool, of a vocabulary of some hundreds.
std::vector<Texts> make_tools() {
  const std::vector<std::string> verbs = {"list",   "create", "delete", "update", "search",
                                          "export", "import", "merge",  "start",  "stop"};
  const std::vector<std::string> things = {"invoice", "customer", "message", "calendar", "build",
                                           "image",   "database", "page",    "report",   "branch",
                                           "ticket",  "server",   "secret",  "metric",   "alert",
                                           "user",    "group",    "order",   "payment",  "file"};
  std::vector<Texts> tools;
  for (const std::string& verb : verbs) {
    for (const std::string& thing : things) {
      std::string text = verb + " one " + thing + " or several of them by their id or a filter.";
      for (int i = 0; i < 40; ++i)
        text += " detail" + std::to_string((tools.size() * 7 + static_cast<size_t>(i)) % 400);
      auto input = parse_json(
          R"({"properties": {")" + thing +
          R"(_id": {"description": "Which one"}, "limit": {"description": "How many at most"}}})");
      tools.push_back({thing + '_' + verb, verb + " " + thing, text, std::move(*input)});
    }
  }
  return tools;
}

void BM_Search(benchmark::State& state, const std::string& query) {
  const std::vector<Texts> tools = make_tools();
  std::vector<Candidate> candidates;
  for (const Texts& tool : tools) {
    candidates.push_back({tool.name, tool.title, tool.description, &tool.input});
  }
  for (auto _ : state) benchmark::DoNotOptimize(search(candidates, query, 3));
}
BENCHMARK_CAPTURE(BM_Search, one_word, "payment")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Search, a_sentence, "please remove the old invoices of a customer")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Search, mistyped_and_mixed, "serach 会議室を予約 отчёт")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace helve::tool
