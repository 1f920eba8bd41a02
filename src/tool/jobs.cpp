#include "tool/jobs.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "tool/detail/disk_log.h"
#include "tool/detail/job_text.h"
#include "tool/job_store.h"

namespace helve::tool {
namespace {

using namespace std::chrono_literals;

constexpr Duration kKeptRead = 10min;  // WS-59: after it was read to its end
constexpr Duration kKept = 24h;        // at the longest, and for as long it is known that it was
constexpr size_t kMostGone = 1000;
constexpr Duration kSettling = 5s;
constexpr size_t kTitle = 60;  // bytes of a title in a list (WS-58)

bool too_old(const Job& job, Clock::time_point now) {
  if (!job.ended()) return false;
  if (now - (job.started + job.took) > kKept) return true;
  return job.read_up && now - *job.read_up > kKeptRead;
}

std::string short_title(const Job& job) {
  const std::string title = flatten_controls(job.title);
  return title.substr(0, utf8_floor(title, kTitle));
}

}  // namespace

void Job::end(Answer how) {
  HELVE_CHECK(!answer);
  took = Clock::now() - started;
  answer = std::move(how);
  log.add(answer->text);
  if (log.disk()) log.disk()->give_way();
  for (const auto& react : std::exchange(waiting_, {})) react();
  news_.wake_all();
}

void Job::when_ended(std::function<void()> react) {
  if (ended()) return react();
  waiting_.push_back(std::move(react));
}

void Job::on_news(const Wake& wake) {
  news_.add(wake);
  log.on_growth(wake);
}

void Jobs::keep_in(std::shared_ptr<JobStore> store, std::string session, std::string principal) {
  store_ = std::move(store);
  quota_ = store_->new_quota();
  session_ = std::move(session);
  principal_ = std::move(principal);
}

size_t Jobs::running() const {
  return static_cast<size_t>(
      std::ranges::count_if(all_, [](const auto& job) { return !job->ended(); }));
}

Refusal Jobs::too_many(const JobNames& names) const {
  std::vector<std::string> lines;
  JsonArray rows;
  for (const auto& job : all_) {
    if (job->ended()) continue;
    const Duration age = Clock::now() - job->started;
    const std::string title = short_title(*job);
    lines.push_back(job->id + " (" + (title.empty() ? job->tool : title) + ", " +
                    duration_text(age) + ")");
    rows.push_back(JsonObject{{"id", job->id},
                              {"tool", job->tool},
                              {"title", title},
                              {"seconds", std::chrono::floor<std::chrono::seconds>(age).count()}});
  }
  return refuse("job.too_many",
                {{"limit", std::to_string(most)},
                 {"output", names.output},
                 {"stop", names.stop},
                 {"jobs", join(lines, ", ")}},
                JsonObject{{"running", std::move(rows)}})
      .error();
}

void Jobs::prepare(Job& job) const {
  if (store_ && !job.log.disk() && job.log.is_whole())
    job.log.spill_to(store_->new_log(job.id, quota_));
}

void Jobs::add(std::shared_ptr<Job> job) {
  const auto now = Clock::now();
  forget_old(now);
  // Ended ones stay to be read, but not for ever.
  const auto ended = [](const auto& each) { return each->ended(); };
  while (all_.size() - running() >= most) forget(std::ranges::find_if(all_, ended), now);
  all_.push_back(job);
  if (!store_) return;
  prepare(*job);
  job->log.keep();
  if (job->log.disk()) job->log.disk()->outlive();
  update(*job);
  job->when_ended(
      [store = store_, seen = std::weak_ptr(job), session = session_, principal = principal_] {
        if (const auto one = seen.lock()) store->record(*one, session, principal);
      });
}

void Jobs::update(const Job& job) {
  if (store_ && find(job.id).get() == &job) store_->record(job, session_, principal_);
}

boost::asio::awaitable<void> Jobs::settle(std::shared_ptr<Job> job) {
  if (!store_) co_return;
  const auto latest = Clock::now() + kSettling;
  if (const auto disk = job->log.disk()) co_await disk->settle(latest);
  co_await store_->settle(latest);
}

void Jobs::forget(std::vector<std::shared_ptr<Job>>::iterator job, Clock::time_point now) {
  const Job& one = **job;
  const Duration since = now - (one.started + one.took);
  gone_.push_back({one.id, job_line(one), now,
                   WallClock::now() - std::chrono::duration_cast<WallClock::duration>(since),
                   one.spill});
  if (gone_.size() > kMostGone) gone_.pop_front();
  if (store_) store_->forget(one, session_, principal_);
  all_.erase(job);
}

void Jobs::forget_old(Clock::time_point now) {
  while (!gone_.empty() && now - gone_.front().at > kKept) gone_.pop_front();
  const auto old = [&](const auto& job) { return too_old(*job, now); };
  for (auto at = std::ranges::find_if(all_, old); at != all_.end();
       at = std::ranges::find_if(all_, old)) {
    forget(at, now);
  }
}

std::shared_ptr<Job> Jobs::find(std::string_view id) {
  forget_old(Clock::now());
  const auto found = std::ranges::find(all_, id, [](const auto& job) { return job->id; });
  return found == all_.end() ? nullptr : *found;
}

boost::asio::awaitable<Refusal> Jobs::expired(Gone gone) const {
  const bool there = store_ && co_await store_->has(gone.spill);
  co_return expired_job(gone.id, gone.line, gone.ended, there ? gone.spill.path : "");
}

boost::asio::awaitable<Result<std::shared_ptr<Job>>> Jobs::reach(std::string id) {
  if (auto job = find(id)) co_return job;
  const auto gone = std::ranges::find(gone_, id, &Gone::id);
  if (gone != gone_.end()) co_return std::unexpected(co_await expired(*gone));
  if (!store_) co_return refuse("job.unknown", {{"job", id}});
  const bool own_alone = principal_ != session_;
  auto left = co_await store_->recall(id, own_alone ? std::optional(principal_) : std::nullopt);
  if (!left) co_return left;
  if (auto job = find(id)) co_return job;  // somebody was quicker
  all_.push_back(*left);
  co_return left;
}

}  // namespace helve::tool
