#include "commands/conform.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <map>

#include "commands/executor.h"
#include "template/parts.h"
#include "template/template.h"

namespace helve::commands {

namespace asio = boost::asio;

namespace {

std::unexpected<Refusal> invalid_case(std::string reason) {
  return refuse("conform.case_invalid", {{"reason", std::move(reason)}});
}

// Commands that end at once with what the case says, and a list of what was called.
class FakeCommands : public Runner {
 public:
  explicit FakeCommands(const Json* commands) : commands_(commands) {}

  asio::awaitable<LeafEnd> run(Leaf leaf, Stop& /*stop*/) override {
    const std::string stdin_text(leaf.input.tail());
    JsonArray argv;
    for (const std::string& word : leaf.step.argv) argv.emplace_back(word);
    calls.push_back({{"argv", std::move(argv)},
                     {"stdin", stdin_text.empty() ? Json(nullptr) : Json(stdin_text)}});
    co_return end_of(leaf.step.argv.front(), outcome_of(leaf.step.argv.front()), stdin_text);
  }

  JsonArray calls;

 private:
  // A list gives one outcome per run, the last one repeating.
  const Json* outcome_of(const std::string& word) {
    const Json* outcome = commands_ == nullptr ? nullptr : find(*commands_, word);
    if (outcome == nullptr || !outcome->is_array()) return outcome;
    const JsonArray& list = outcome->get_array();
    if (list.empty()) return nullptr;
    return &list[std::min(runs_[word]++, list.size() - 1)];
  }

  static LeafEnd end_of(const std::string& word, const Json* outcome,
                        const std::string& stdin_text) {
    const auto member = [&](std::string_view key) {
      return outcome == nullptr ? nullptr : find(*outcome, key);
    };
    const Json* code = member("code");
    const Json* out = member("stdout");
    const Json* err = member("stderr");
    const Json* echo = member("echo");
    LeafEnd end;
    end.run.exit = code != nullptr && code->is_int64() ? static_cast<int>(code->get_int64()) : 0;
    end.run.status = end.run.exit == 0 ? Status::kOk : Status::kFailed;
    if (end.run.exit != 0) end.run.reason = "nonzero_exit";
    if (err != nullptr && err->is_string()) end.run.err.text = as_text(*err);
    if (echo != nullptr && echo->is_bool() && echo->get_bool()) {
      end.out = Stream::of("<" + stdin_text + ">");
    } else {
      end.out = Stream::of(out != nullptr && out->is_string() ? std::string(as_text(*out))
                                                              : word + ".out");
    }
    return end;
  }

  const Json* commands_;
  std::map<std::string, size_t> runs_;
};

JsonArray branches_of(const Report& report) {
  JsonArray branches;
  for (const ParallelRun& parallel : report.branches) {
    for (const BranchRun& child : parallel.children) {
      branches.push_back({{"label", child.label}, {"status", join_name(child.status)}});
    }
  }
  return branches;
}

JsonObject run_case(const tmpl::Plan& plan, const Json* commands) {
  asio::io_context context(1);
  Report report;
  Stop stop;
  FakeCommands fakes(commands);
  Recorder recorder(report, {}, nullptr);
  Executor executor(fakes, recorder, {.width = SIZE_MAX, .abort_siblings = false});
  Outcome outcome;
  asio::co_spawn(
      context,
      [&]() -> asio::awaitable<void> {
        outcome = co_await executor.run(plan.root, Stream(), stop);
      },
      [](std::exception_ptr error) {
        if (error) std::rethrow_exception(error);
      });
  context.run();
  const bool good = succeeded(outcome.status) || outcome.status == Status::kSkipped;
  JsonObject actual{
      {"status", good && outcome.status == Status::kSkipped ? "ok" : name(outcome.status)},
      {"exit", good ? 0 : outcome.code}};
  if (good) {
    actual["result"] =
        plan.selected.is_stdout ? std::string(outcome.out.tail()) : plan.selected.text;
  } else {
    actual["stderr"] = outcome.err;
  }
  actual["calls"] = std::move(fakes.calls);
  actual["branches"] = branches_of(report);
  return actual;
}

}  // namespace

Result<Json> answer_compose_case(const Json& test_case) {
  const Json* node = find(test_case, "template");
  const Json* values = find(test_case, "values");
  if (node == nullptr) return invalid_case("template");
  if (values != nullptr && !values->is_object()) return invalid_case("values");
  const auto error = [](const Refusal& refusal) {
    return Json{{"error", tmpl::error_class(refusal)}};
  };
  const auto compiled = tmpl::Template::compile(*node);
  if (!compiled) return error(compiled.error());
  const auto plan = compiled->expand(values == nullptr ? JsonObject() : values->get_object(),
                                     {.cwd = "/", .home = "/"});
  if (!plan) return error(plan.error());
  return Json(run_case(*plan, find(test_case, "commands")));
}

}  // namespace helve::commands
