// A call that may go on as a job: the tool runs in a coroutine of its own, and the call waits for
// it only so long (R6; decisions, section 6).
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <exception>

#include "base/ids.h"
#include "base/text.h"
#include "base/texts.h"
#include "os/waiting.h"
#include "tool/detail/job_text.h"
#include "tool/detail/open_call.h"
#include "tool/detail/row.h"

namespace helve::tool {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr Duration kLongestWait = 45s;  // hosts give up at 60 s

std::string progress_line(const Progress& progress) {
  std::string line = "[" + number_text(progress.done);
  if (progress.total) line += "/" + number_text(*progress.total);
  return line + "] " + progress.message + '\n';
}

// What the call and its job share. The call lets go of `told` when it no longer waits.
struct Shared {
  std::shared_ptr<Session> session;
  std::shared_ptr<const Tool> tool;
  std::shared_ptr<Job> job;
  std::function<void(Progress)> told;
  std::function<Answer(Result<Answer>)> finish;
  std::exception_ptr thrown;
};

std::shared_ptr<Job> new_job(const Tool& tool) {
  auto job = std::make_shared<Job>();
  job->id = new_handle("job");
  job->tool = tool.name;
  job->cancellation = std::make_shared<Cancellation>();
  return job;
}

// The tool tells its job, and the job whoever waits.
std::function<void(Progress)> progress_of(const std::shared_ptr<Shared>& shared) {
  return [shared](const Progress& progress) {
    shared->job->log.add(progress_line(progress));
    if (shared->told) shared->told(progress);
  };
}

// The tool, to its end, whoever still waits for it.
asio::awaitable<void> drive(std::shared_ptr<Shared> shared, Call call) {
  Result<Answer> outcome;
  try {
    outcome = co_await shared->tool->run(call);
  } catch (const std::exception& error) {
    shared->thrown = std::current_exception();
    outcome = refuse("tool.thrown", {{"tool", shared->tool->name}, {"reason", error.what()}});
  }
  shared->job->end(shared->finish(std::move(outcome)));
  shared->session->close_call(shared->job->cancellation);
}

}  // namespace

Registry::Attempt Registry::run_job(std::shared_ptr<Session> session,
                                    std::shared_ptr<const Row> row, CallRequest request,
                                    JsonObject arguments, policy::Permit permit) {
  const auto shared = std::make_shared<Shared>();
  *shared = {
      .session = session,
      .tool = std::shared_ptr<const Tool>(row, &row->tool),
      .job = new_job(row->tool),
      .told = request.progress,
      .finish = [this, row](Result<Answer> outcome) { return finish(*row, std::move(outcome)); }};
  const std::shared_ptr<Job> job = shared->job;
  session->jobs().prepare(*job);
  const auto asked = request.cancellation;
  const bool waits_to_the_end = static_cast<bool>(request.progress);

  request.cancellation = job->cancellation;
  request.progress = progress_of(shared);
  session->open_call(job->cancellation, row->tool.detach);
  asio::co_spawn(
      co_await asio::this_coro::executor,
      drive(shared, make_call(*session, request, std::move(arguments), std::move(permit))),
      asio::detached);
  if (!job->ended()) {
    asked->on_request([job](Duration grace) { job->cancellation->request(grace); });
    const auto latest =
        waits_to_the_end ? Clock::time_point::max() : Clock::now() + std::min(wait, kLongestWait);
    co_await os::wait_until([&](auto react) { job->when_ended(std::move(react)); }, latest);
    asked->on_request({});
  }
  if (shared->thrown) std::rethrow_exception(shared->thrown);
  if (const auto& answer = job->answer) co_return *answer;

  shared->told = nullptr;
  if (session->jobs().full()) {
    job->cancellation->request(session->jobs().stop_grace);
    co_return refuse("job.stopped_no_room", {{"limit", std::to_string(session->jobs().most)},
                                             {"output", job_names.output},
                                             {"stop", job_names.stop}});
  }
  session->jobs().add(job);
  co_await session->jobs().settle(job);
  if (shared->thrown) std::rethrow_exception(shared->thrown);
  if (const auto& answer = job->answer) co_return *answer;  // meanwhile
  co_return co_await handle_answer(job, job_names);
}

}  // namespace helve::tool
