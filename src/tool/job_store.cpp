#include "tool/job_store.h"

#include "base/text.h"
#include "base/texts.h"
#include "os/files.h"
#include "tool/detail/daemon_mark.h"
#include "tool/detail/disk_log.h"
#include "tool/detail/job_record.h"
#include "tool/detail/job_text.h"

namespace helve::tool {
namespace {

using namespace std::chrono_literals;

constexpr Duration kBetweenTidying = 1h;
constexpr std::uint64_t kShown = 8 * 1024;  // of a log that nobody of this session has read

std::int64_t ms_of(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

JobRecord record_of(const Job& job) {
  JobRecord record{.id = job.id,
                   .tool = job.tool,
                   .title = job.title,
                   .mark = job.mark,
                   .daemon = ProcessName::self(),
                   .pid = job.pid,
                   .started_ms = now_ms() - ms_of(Clock::now() - job.started),
                   .spill = job.spill.path,
                   .spill_file = job.spill.file.string()};
  if (!job.ended()) return record;
  record.ended_ms = record.started_ms + ms_of(job.took);
  record.state = state_of(job);
  record.line = job_line(job);
  if (job.status) record.facts = job.status(job).facts;
  return record;
}

bool is_there(const std::filesystem::path& file) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file, ignored);
}

// Its status is what was written down of it.
std::shared_ptr<Job> job_of(const JobRecord& record) {
  auto job = std::make_shared<Job>();
  job->id = record.id;
  job->tool = record.tool;
  job->title = record.title;
  job->cancellation = std::make_shared<Cancellation>();
  job->started = Clock::now() - std::chrono::milliseconds(now_ms() - record.started_ms);
  job->took = std::chrono::milliseconds(record.ended_ms - record.started_ms);
  job->answer = Answer{};
  job->spill = {.path = record.spill, .file = record.spill_file};
  job->status = [record](const Job&) {
    JobStatus status{.line = record.line, .facts = record.facts};
    status.facts["state"] = record.state;
    return status;
  };
  return job;
}

}  // namespace

JobStore::JobStore(os::Loop& loop, std::filesystem::path folder)
    : JobStore(loop, std::move(folder), Limits()) {}

JobStore::JobStore(os::Loop& loop, std::filesystem::path folder, const Limits& limits)
    : loop_(loop), folder_(std::move(folder)), limits_(limits) {}

JobStore::~JobStore() = default;

void JobStore::note_daemon(const std::string& marks) { tool::note_daemon(folder_, marks); }

void JobStore::forget_daemon() { tool::forget_daemon(folder_); }

boost::asio::awaitable<std::vector<std::string>> JobStore::lost() {
  std::vector<std::string> marks;
  co_await loop_.on_pool([folder = folder_, most = limits_.ended_bytes, &marks] {
    marks = tidy_records(folder, most);
    for (std::string& daemon : take_lost_daemons(folder)) marks.push_back(std::move(daemon));
  });
  co_return marks;
}

std::shared_ptr<DiskQuota> JobStore::new_quota() const {
  auto quota = std::make_shared<DiskQuota>();
  quota->most = limits_.session_bytes;
  return quota;
}

std::shared_ptr<DiskLog> JobStore::new_log(const std::string& id,
                                           std::shared_ptr<DiskQuota> quota) {
  return std::make_shared<DiskLog>(loop_, std::make_shared<LogFiles>(folder_, id, limits_.log),
                                   limits_.log, std::move(quota));
}

void JobStore::write(const Job& job, const std::string& session, const std::string& principal,
                     bool kept) {
  JobRecord record = record_of(job);
  record.kept = kept;
  record.session = session;
  record.principal = principal;
  later([folder = folder_, record = std::move(record)]() mutable {
    if (record.pid != 0) record.pid_start = ProcessName::of(record.pid).start;
    if (os::make_private_folder(folder)) write_record(folder, record);
  });
}

void JobStore::record(const Job& job, const std::string& session, const std::string& principal) {
  write(job, session, principal, true);
  const auto now = Clock::now();
  if (now - tidied_ < kBetweenTidying) return;
  tidied_ = now;
  later([folder = folder_, most = limits_.ended_bytes] { tidy_records(folder, most); });
}

void JobStore::forget(const Job& job, const std::string& session, const std::string& principal) {
  write(job, session, principal, false);
  if (job.log.disk()) job.log.disk()->remove();
}

boost::asio::awaitable<void> JobStore::settle(Clock::time_point latest) {
  const auto self = shared_from_this();
  const std::uint64_t until = queued_;
  while (done_ < until && Clock::now() < latest) co_await wait_for(progress_, latest);
}

boost::asio::awaitable<bool> JobStore::has(JobSpill spill) {
  bool there = false;
  if (spill.path.empty()) co_return there;
  co_await loop_.on_pool([&] { there = is_there(spill.file); });
  co_return there;
}

boost::asio::awaitable<Result<std::shared_ptr<Job>>> JobStore::recall(
    std::string id, std::optional<std::string> principal) {
  Result<JobRecord> record;
  bool lives = false;
  LogRanges ranges;
  auto files = std::make_shared<LogFiles>(folder_, id, limits_.log);
  co_await loop_.on_pool([folder = folder_, &id, &principal, &record, &lives, &ranges, files] {
    record = read_record(folder, id);
    if (!record) return;
    if (principal && record->principal != *principal) {
      record = refuse("job.unknown", {{"job", id}});  // as one that never was
      return;
    }
    lives = record->daemon.lives();
    if (!lives && !record->ended()) lose_record(folder, *record);
    if (!lives && !record->expired(now_ms())) ranges = files->open();
    if (!is_there(record->spill_file)) record->spill.clear();
  });
  if (!record) co_return std::unexpected(record.error());
  if (lives) co_return refuse("job.unknown", {{"job", id}});
  const WallClock::time_point ended(std::chrono::milliseconds(record->ended_ms));
  if (record->expired(now_ms())) {
    co_return std::unexpected(expired_job(id, record->line, ended, record->spill));
  }
  auto job = job_of(*record);
  job->log.open(DiskLog::of(loop_, std::move(files), ranges));
  const auto from = job->log.end() - std::min(job->log.end(), kShown);
  const auto page = co_await job->log.fetch(from, {.bytes = kShown, .encoded = SIZE_MAX});
  const size_t line = from == 0 ? 0 : page.text.find('\n') + 1;
  job->read = page.from + (from == 0 || line == 0 ? 0 : line);
  co_return job;
}

void JobStore::later(std::function<void()> work) {
  work_.push_back(std::move(work));
  ++queued_;
  if (std::exchange(at_work_, true)) return;
  loop_.spawn([self = shared_from_this()] { return self->work(); });
}

boost::asio::awaitable<void> JobStore::work() {
  while (!work_.empty()) {
    const auto next = std::move(work_.front());
    work_.pop_front();
    co_await loop_.on_pool(next);
    ++done_;
    progress_.wake_all();
  }
  at_work_ = false;
}

}  // namespace helve::tool
