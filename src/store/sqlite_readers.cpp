#include "store/detail/sqlite_readers.h"

#include <utility>

#include "base/texts.h"
#include "store/detail/refusals.h"
#include "store/detail/sqlite_copy.h"
#include "store/detail/threads.h"

namespace helve::store {
namespace {

// One snapshot, whatever is committed meanwhile.
Result<void> read_in(SqliteConnection& db, const Database::Work& work) {
  if (auto begun = db.run("BEGIN"); !begun) return std::unexpected(begun.error());
  Result<void> outcome = work(db);
  const auto ended = db.in_transaction() ? db.run("ROLLBACK") : Result<Rows>();
  if (!ended && outcome) outcome = std::unexpected(ended.error());
  return outcome;
}

Result<void> check_all(SqliteConnection& db, SqliteFile& file) {
  auto found = db.run("PRAGMA quick_check(1)");
  if (!found) return std::unexpected(found.error());
  if (found->rows.empty()) return {};
  std::string said = text(std::move(found->rows[0].at(0)));
  if (said != "ok") file.set_damaged(refuse("store.damaged", {{"reason", said}}).error());
  return {};
}

Result<std::int64_t> version_seen(SqliteConnection& db) {
  const auto found = db.run("PRAGMA data_version");
  if (!found) return std::unexpected(found.error());
  return integer(found->rows.at(0).at(0));
}

}  // namespace

SqliteReaders::SqliteReaders(std::shared_ptr<SqliteFile> file, std::function<void()> changed)
    : file_(std::move(file)), changed_(std::move(changed)) {}

void SqliteReaders::read(Database::Work work, Done done) {
  push([work = std::move(work)](SqliteConnection& db) { return read_in(db, work); },
       std::move(done));
}

void SqliteReaders::copy(std::string file, Done done) {
  push([this, file = std::move(file)](
           SqliteConnection& db) { return copy_database(db, file, file_->options().vfs); },
       std::move(done));
}

void SqliteReaders::check() {
  push([this](SqliteConnection& db) { return check_all(db, *file_); }, [](Result<void>) {});
}

void SqliteReaders::look_for_changes() {
  const std::lock_guard hold(mutex_);
  if (closed_) return;
  look_ = true;
  if (started_ == 0) start_one();
  pushed_.notify_all();
}

void SqliteReaders::push(Run run, Done done) {
  std::unique_lock hold(mutex_);
  if (closed_) {
    hold.unlock();
    return done(unavailable(helve::text("store.closing")));
  }
  queue_.push_back({std::move(run), std::move(done), Clock::now() + file_->options().patience});
  if (queue_.size() > resting_ && started_ < readers_.size()) start_one();
  pushed_.notify_all();
}

void SqliteReaders::start_one() {
  Reader& reader = readers_[started_++];
  reader.thread = quiet_thread([this, &reader](const std::stop_token& stop) { run(reader, stop); });
}

void SqliteReaders::close() {
  {
    const std::lock_guard hold(mutex_);
    closed_ = true;
    for (Reader& reader : readers_) {
      reader.thread.request_stop();
      if (reader.db) reader.db->interrupt();
    }
  }
  for (Reader& reader : readers_) reader.thread = {};
}

void SqliteReaders::run(Reader& reader, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::optional<Job> job = wait(reader, stop);
    if (stop.stop_requested()) {
      if (job) job->done(unavailable(helve::text("store.closing")));
      break;
    }
    if (job) {
      serve(reader, *std::move(job), stop);
    } else {
      look(reader, stop);
    }
  }
  finish(reader);
}

// Nothing: there is to be looked for changes.
std::optional<SqliteReaders::Job> SqliteReaders::wait(Reader& reader, const std::stop_token& stop) {
  std::unique_lock hold(mutex_);
  const auto any = [&] { return !queue_.empty() || (look_ && is_first(reader)); };
  ++resting_;
  if (reader.db && !pushed_.wait_for(hold, stop, file_->options().idle, any)) {
    if (!stop.stop_requested()) reader.db->release_memory();
  }
  pushed_.wait(hold, stop, any);
  --resting_;
  if (look_ && is_first(reader)) {
    look_ = false;
    return {};
  }
  if (queue_.empty()) return {};  // a stop
  Job job = std::move(queue_.front());
  queue_.pop_front();
  return job;
}

Result<void> SqliteReaders::connect(Reader& reader, Clock::time_point latest,
                                    const std::stop_token& stop) {
  if (reader.db) return {};
  if (auto ready = file_->prepare(latest, stop); !ready) return ready;
  auto opened = file_->open_reader();
  if (!opened) return std::unexpected(opened.error());
  const std::lock_guard hold(mutex_);
  reader.db = *std::move(opened);
  return {};
}

void SqliteReaders::serve(Reader& reader, Job job, const std::stop_token& stop) {
  Result<void> outcome = connect(reader, job.latest, stop);
  if (outcome) outcome = job.run(*reader.db);
  job.done(std::move(outcome));
  look_after_errors(reader);
}

void SqliteReaders::look(Reader& reader, const std::stop_token& stop) {
  if (!connect(reader, Clock::now() + file_->options().patience, stop)) return;
  const Result<std::int64_t> now = version_seen(*reader.db);
  // A new connection cannot know what the one before has missed.
  const bool same = now && (reader.seen ? *reader.seen == *now : !reader.looked);
  if (now) reader.seen = *now;
  reader.looked = true;
  if (!same) changed_();
  look_after_errors(reader);
}

void SqliteReaders::look_after_errors(Reader& reader) {
  if (!reader.db || !reader.db->is_over()) return;
  if (const auto damage = reader.db->damage()) file_->set_damaged(*damage);
  put_down(reader);
}

void SqliteReaders::put_down(Reader& reader) {
  const std::lock_guard hold(mutex_);
  reader.db.reset();
  reader.seen.reset();
}

void SqliteReaders::finish(Reader& reader) {
  std::unique_lock hold(mutex_);
  std::deque<Job> rest = std::exchange(queue_, {});
  hold.unlock();
  for (Job& job : rest) job.done(unavailable(helve::text("store.closing")));
  put_down(reader);
}

}  // namespace helve::store
