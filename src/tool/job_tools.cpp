#include "tool/job_tools.h"

#include "base/texts.h"
#include "os/waiting.h"
#include "tool/detail/job_text.h"
#include "tool/detail/own_schema.h"

namespace helve::tool {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr Duration kStopGrace = 2s;      // decisions, section 5
constexpr Duration kAfterStop = 1500ms;  // for the tool to answer once its processes are gone
constexpr std::int64_t kUsualWait = 10;  // seconds
constexpr std::int64_t kLongestWait = 45;
constexpr size_t kPage = 30'000;  // characters of a log in one answer, with room for the rest of it

Json output_schema() {
  JsonObject cursor = described("integer", "job.arg.cursor");
  cursor["minimum"] = 0;
  JsonObject wait = described("integer", "job.arg.wait_s");
  wait["minimum"] = 0;
  wait["maximum"] = kLongestWait;
  wait["default"] = kUsualWait;
  return closed_object({{"job", described("string", "job.arg.job")},
                        {"cursor", std::move(cursor)},
                        {"wait_s", std::move(wait)}},
                       {"job"});
}

Result<std::shared_ptr<Job>> find_job(const Call& call) {
  const std::string id(as_text(call.arguments.at("job")));
  auto job = call.session.jobs().find(id);
  if (!job) return refuse("job.unknown", {{"job", id}});
  return job;
}

std::int64_t integer(const Call& call, std::string_view name, std::int64_t otherwise) {
  const Json* value = call.arguments.if_contains(name);
  return value == nullptr ? otherwise : value->to_number<std::int64_t>();
}

// Waits until the job has ended, but no longer than so long, nor than the call.
asio::awaitable<void> wait_for(const std::shared_ptr<Job>& job, const Call& call, Duration most) {
  co_await os::wait_until(
      [&](const std::function<void()>& react) {
        job->when_ended(react);
        call.cancellation->on_request([react](Duration) { react(); });
      },
      Clock::now() + most);
  call.cancellation->on_request({});
}

asio::awaitable<Result<Answer>> output(Call& call) {
  const auto job = find_job(call);
  if (!job) co_return std::unexpected(job.error());
  const std::uint64_t remembered = call.session.remembers() ? (*job)->read : 0;
  const auto cursor =
      static_cast<std::uint64_t>(integer(call, "cursor", static_cast<std::int64_t>(remembered)));
  const bool page_is_full = (*job)->log.end() > cursor + kPage;
  if (!page_is_full) {
    co_await wait_for(*job, call, std::chrono::seconds(integer(call, "wait_s", kUsualWait)));
    // Nobody gets this answer, so that nothing of the log has been read by it.
    if (call.cancellation->requested()) co_return Answer{};
  }
  co_return page_answer(**job, cursor, kPage);
}

asio::awaitable<Result<Answer>> stop(Call& call) {
  const auto job = find_job(call);
  if (!job) co_return std::unexpected(job.error());
  (*job)->cancellation->request(kStopGrace);
  co_await wait_for(*job, call, kStopGrace + kAfterStop);
  co_return page_answer(**job, call.session.remembers() ? (*job)->read : 0, kPage);
}

asio::awaitable<Result<Answer>> list(Call& call) {
  std::string lines;
  JsonArray rows;
  for (const auto& job : call.session.jobs().all()) {
    lines += job_line(*job) + '\n';
    rows.push_back(JsonObject{{"id", job->id}, {"tool", job->tool}, {"state", state_of(*job)}});
  }
  if (lines.empty()) lines = text("job.none");
  co_return Answer{.text = std::move(lines),
                   .meta = JsonObject{{"io.helve/data", JsonObject{{"jobs", std::move(rows)}}}}};
}

}  // namespace

Result<void> add_job_tools(Registry& registry) {
  Tool tools[] = {
      {.name = "job_output",
       .description = text("tool.job_output"),
       .input = output_schema(),
       .annotations = {.title = text("tool.job_output.title"),
                       .read_only = true,
                       .destructive = false,
                       .open_world = false},
       .run = output,
       .own = true},
      {.name = "job_stop",
       .description = text("tool.job_stop"),
       .input = closed_object({{"job", described("string", "job.arg.job")}}, {"job"}),
       .annotations = {.title = text("tool.job_stop.title"),
                       .idempotent = true,
                       .open_world = false},
       .run = stop,
       .own = true},
      {.name = "job_list",
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
       .own = true},
  };
  for (Tool& tool : tools) {
    if (auto added = registry.add(std::move(tool)); !added) return added;
  }
  return {};
}

}  // namespace helve::tool
