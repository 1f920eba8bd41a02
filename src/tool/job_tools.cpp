#include "tool/job_tools.h"

#include "base/text.h"
#include "base/texts.h"
#include "os/waiting.h"
#include "tool/detail/job_text.h"
#include "tool/own_schema.h"

namespace helve::tool {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr Duration kAfterKill = 1s;  // until what does not die of it is named (WS-52)
constexpr size_t kMostNamed = 20;
constexpr Duration kCollect = 50ms;  // after the first new output (WS-47)
constexpr Duration kBetweenProgress = 3s;
constexpr std::int64_t kMostWait = 600'000;   // milliseconds
constexpr std::int64_t kMostUntold = 45'000;  // where nobody is told of progress (R6)
constexpr std::int64_t kMostTail = 500;       // lines
constexpr size_t kEmptyPolls = 3;             // in a row, until `wait` is spoken of

Json output_schema() {
  JsonObject wait = ranged(described("integer", "job.arg.wait"), 0, kMostWait);
  wait["default"] = 0;
  return closed_object({{"job", described("string", "job.arg.job")},
                        {"cursor", ranged(described("integer", "job.arg.cursor"), 0)},
                        {"wait", std::move(wait)},
                        {"tail", ranged(described("integer", "job.arg.tail"), 1, kMostTail)}},
                       {"job"});
}

std::string job_id(const Call& call) { return std::string(as_text(call.arguments.at("job"))); }

std::uint64_t cursor_of(const Call& call, const Job& job) {
  const std::uint64_t usual = call.session.remembers() ? job.read : 0;
  return static_cast<std::uint64_t>(
      integer_in(call.arguments, "cursor", static_cast<std::int64_t>(usual)));
}

void tell(const Call& call, const Job& job, Clock::time_point begun) {
  std::string line = job.log.last_line();
  if (line.empty()) line = job_line(job);
  const auto seconds = std::chrono::duration<double>(Clock::now() - begun);
  call.progress({.done = seconds.count(), .message = std::move(line)});
}

// Until something is new, `latest`, or nobody waits any more. The wake lives as long as the wait.
asio::awaitable<void> wait_for_news(const std::shared_ptr<Job>& job, const Call& call,
                                    Clock::time_point latest) {
  const auto wake = std::make_shared<std::function<void()>>();
  co_await os::wait_until(
      [&](const std::function<void()>& react) {
        *wake = react;
        job->on_news(wake);
        call.cancellation->on_request([react](Duration) { react(); });
      },
      latest);
  call.cancellation->on_request({});
}

asio::awaitable<void> wait_for_end(const std::shared_ptr<Job>& job, const Call& call,
                                   Clock::time_point latest) {
  while (!job->ended() && !call.cancellation->requested() && Clock::now() < latest) {
    co_await wait_for_news(job, call, latest);
  }
}

// WS-47: the first of new output, with what comes within a moment, another status, time over.
asio::awaitable<void> wait_for_output(const std::shared_ptr<Job>& job, const Call& call,
                                      std::uint64_t cursor, Duration most) {
  const auto begun = Clock::now();
  const auto latest = begun + most;
  const std::string state = state_of(*job);
  const auto nothing_new = [&] {
    return !job->ended() && job->log.end() <= cursor && state_of(*job) == state &&
           !call.cancellation->requested();
  };
  while (nothing_new() && Clock::now() < latest) {
    const auto next = call.waits_long ? Clock::now() + kBetweenProgress : latest;
    co_await wait_for_news(job, call, std::min(latest, next));
    if (call.waits_long && nothing_new()) tell(call, *job, begun);
  }
  if (job->log.end() > cursor && state_of(*job) == state) {
    co_await wait_for_end(job, call, Clock::now() + kCollect);
  }
}

struct Wait {
  Duration most{0};
  bool clamped = false;
};

Wait wait_of(const Call& call) {
  const std::int64_t asked = integer_in(call.arguments, "wait", 0);
  const bool clamped = !call.waits_long && asked > kMostUntold;
  return {std::chrono::milliseconds(clamped ? kMostUntold : asked), clamped};
}

// What is to be said beside the output.
std::vector<std::string> notes_of(Job& job, std::uint64_t cursor, const Wait& wait) {
  std::vector<std::string> notes;
  const bool empty = !job.ended() && job.log.end() <= cursor;
  if (wait.clamped) {
    notes.push_back(text("job.wait_clamped", {{"seconds", std::to_string(kMostUntold / 1000)}}));
  }
  if (!empty || wait.most > Duration(0)) {
    job.empty_polls = 0;
  } else if (++job.empty_polls >= kEmptyPolls) {
    notes.push_back(text("job.hint_wait"));
  }
  return notes;
}

asio::awaitable<Result<Answer>> output(Call& call) {
  const auto found = co_await call.session.jobs().reach(job_id(call));
  if (!found) co_return std::unexpected(found.error());
  const std::shared_ptr<Job> job = *found;
  const std::uint64_t cursor = cursor_of(call, *job);
  const Wait wait = wait_of(call);
  if (!job->ended() && job->log.end() <= cursor && wait.most > Duration(0)) {
    co_await wait_for_output(job, call, cursor, wait.most);
    // Nobody gets this answer, so that nothing of the log has been read by it.
    if (call.cancellation->requested()) co_return Answer{};
  }
  if (const auto lines = integer_in(call.arguments, "tail", 0); lines > 0) {
    co_return co_await tail_answer(job, cursor, static_cast<size_t>(lines));
  }
  co_return co_await page_answer(job, cursor, {.notes = notes_of(*job, cursor, wait), .size = {}});
}

// What is left of one that was sent KILL.
void tell_what_is_left(const Job& job, Told& told) {
  std::vector<HeldProcess> left = job.left ? job.left() : std::vector<HeldProcess>();
  if (left.empty()) return told.notes.push_back(text("job.still_ending"));
  if (left.size() > kMostNamed) left.resize(kMostNamed);
  std::vector<std::string> names;
  JsonArray rows;
  for (const HeldProcess& process : left) {
    names.push_back(std::to_string(process.pid) + " (" + process.name + ")");
    rows.push_back(JsonObject{{"pid", process.pid}, {"name", process.name}});
  }
  told.notes.push_back(text("job.held", {{"processes", join(names, ", ")}}));
  told.facts["held"] = std::move(rows);
}

asio::awaitable<Result<Answer>> stop(Call& call) {
  const auto found = co_await call.session.jobs().reach(job_id(call));
  if (!found) co_return std::unexpected(found.error());
  const std::shared_ptr<Job> job = *found;
  // Of the beginning, so that two stops at once answer alike (WS-53).
  const std::uint64_t cursor = call.session.remembers() ? job->read : 0;
  Told told;
  if (job->ended()) {
    told.notes.push_back(text("job.already_ended"));
  } else {
    const Duration grace = call.session.jobs().stop_grace;
    job->cancellation->request(grace);
    co_await wait_for_end(job, call, Clock::now() + grace + kAfterKill);
    if (!job->ended()) tell_what_is_left(*job, told);
  }
  co_return co_await last_words(job, cursor, std::move(told));
}

asio::awaitable<Result<Answer>> list(Call& call) {
  std::string lines;
  JsonArray rows;
  call.session.jobs().forget_old(Clock::now());
  for (const auto& job : call.session.jobs().all()) {
    lines += text("job.list_line", {{"job", job->id},
                                    {"tool", job->tool},
                                    {"title", job->title},
                                    {"state", job_line(*job)}}) +
             '\n';
    rows.push_back(JsonObject{{"id", job->id}, {"tool", job->tool}, {"state", state_of(*job)}});
  }
  if (lines.empty()) lines = text("job.none");
  co_return Answer{.text = std::move(lines),
                   .meta = JsonObject{{"io.helve/data", JsonObject{{"jobs", std::move(rows)}}}}};
}

// What the tools are called, and what is said of them.
struct Wording {
  JobNames names;
  const char *output, *output_title, *stop, *stop_title;
};

Tool output_tool(const Wording& wording) {
  return {.name = wording.names.output,
          .description = text(wording.output),
          .input = output_schema(),
          .annotations = {.title = text(wording.output_title),
                          .read_only = true,
                          .destructive = false,
                          .open_world = false},
          .run = output,
          .own = true};
}

Tool stop_tool(const Wording& wording) {
  return {
      .name = wording.names.stop,
      .description = text(wording.stop),
      .input = closed_object({{"job", described("string", "job.arg.job")}}, {"job"}),
      .annotations = {.title = text(wording.stop_title), .idempotent = true, .open_world = false},
      .run = stop,
      .own = true};
}

Tool list_tool() {
  return {.name = "job_list",
          .description = text("tool.job_list"),
          .input = closed_object({}, {}),
          .annotations = {.title = text("tool.job_list.title"),
                          .read_only = true,
                          .destructive = false,
                          .idempotent = true,
                          .open_world = false},
          .run = list,
          .deferred = true,
          .keywords = {"running", "background", "processes", "tasks", "status", "list"},
          .own = true};
}

Result<void> add(Registry& registry, const Wording& wording) {
  for (Tool& tool : std::vector<Tool>{output_tool(wording), stop_tool(wording), list_tool()}) {
    if (auto added = registry.add(std::move(tool)); !added) return added;
  }
  registry.job_names = wording.names;
  return {};
}

}  // namespace

Result<void> add_job_tools(Registry& registry) {
  return add(
      registry,
      {{}, "tool.job_output", "tool.job_output.title", "tool.job_stop", "tool.job_stop.title"});
}

Result<void> add_bash_job_tools(Registry& registry) {
  return add(registry, {bash_job_names(), "tool.bash_output", "tool.bash_output.title",
                        "tool.bash_stop", "tool.bash_stop.title"});
}

}  // namespace helve::tool
